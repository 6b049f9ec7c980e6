import { MigrationInterface, QueryRunner } from 'typeorm';

/** Emails about logins that are still to be sent, and the links with which a forgotten password is replaced. */
export class PasswordResets1795400300010 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "security_emails" (
      "id" text NOT NULL,
      "kind" text NOT NULL,
      "email_key" text NOT NULL,
      "subject_id" text,
      "language" text,
      "due_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      CONSTRAINT "CHK_009bdb53117f0ba30b9014ea72" CHECK (kind IN ('password_reset', 'password_changed', 'email_changed')),
      CONSTRAINT "PK_1bdbd084c1e24929779d954b57d" PRIMARY KEY ("id")
    )`);
    await queryRunner.query(
      `CREATE INDEX "security_emails_due" ON "security_emails" ("due_at") WHERE due_at IS NOT NULL`,
    );
    await queryRunner.query(`CREATE INDEX "security_emails_created" ON "security_emails" ("created_at")`);
    await queryRunner.query(`CREATE TABLE "password_resets" (
      "token_hash" text NOT NULL,
      "email_key" text NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      CONSTRAINT "PK_323290a9239ad3d397ad78018ec" PRIMARY KEY ("token_hash")
    )`);
    await queryRunner.query(`CREATE INDEX "password_resets_email" ON "password_resets" ("email_key")`);
    await queryRunner.query(`CREATE INDEX "password_resets_expiry" ON "password_resets" ("expires_at")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "password_resets"`);
    await queryRunner.query(`DROP TABLE "security_emails"`);
  }
}
