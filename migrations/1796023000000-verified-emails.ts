import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the owner of an email proved that it is theirs. What exists already counts as proved: otherwise the next reset of
 * a forgotten password would delete keys and users of accounts that have worked for long. The previous release does not
 * write the column: emails of its sign-ups are not verified, and a change of an email that it makes keeps the time.
 */
export class VerifiedEmails1796023000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    // The default is evaluated once and rewrites no row.
    await queryRunner.query(
      `ALTER TABLE "credentials" ADD "email_verified_at" timestamptz(3) DEFAULT CURRENT_TIMESTAMP`,
    );
    await queryRunner.query(`ALTER TABLE "credentials" ALTER "email_verified_at" DROP DEFAULT`);
    await queryRunner.query(
      `ALTER TABLE "password_resets" ADD "purpose" text NOT NULL DEFAULT 'password_reset'`,
    );
    await queryRunner.query(
      `ALTER TABLE "password_resets" ADD CONSTRAINT "CHK_836bb89bb3f8ecdc4948a78485" CHECK (purpose IN ('password_reset', 'email_verification'))`,
    );
    await queryRunner.query(`ALTER TABLE "security_emails" DROP CONSTRAINT "CHK_009bdb53117f0ba30b9014ea72"`);
    await queryRunner.query(
      `ALTER TABLE "security_emails" ADD CONSTRAINT "CHK_9c1ac3164d03537ea87ee60205" CHECK (kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification'))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "security_emails" WHERE kind = 'email_verification'`);
    await queryRunner.query(`ALTER TABLE "security_emails" DROP CONSTRAINT "CHK_9c1ac3164d03537ea87ee60205"`);
    await queryRunner.query(
      `ALTER TABLE "security_emails" ADD CONSTRAINT "CHK_009bdb53117f0ba30b9014ea72" CHECK (kind IN ('password_reset', 'password_changed', 'email_changed'))`,
    );
    await queryRunner.query(`DELETE FROM "password_resets" WHERE purpose = 'email_verification'`);
    await queryRunner.query(`ALTER TABLE "password_resets" DROP COLUMN "purpose"`);
    await queryRunner.query(`ALTER TABLE "credentials" DROP COLUMN "email_verified_at"`);
  }
}
