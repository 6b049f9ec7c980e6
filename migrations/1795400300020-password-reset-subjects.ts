import { MigrationInterface, QueryRunner } from 'typeorm';

/** A link sets the password of one user or one account. Deletes the earlier links, which applied to an email. */
export class PasswordResetSubjects1795400300020 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "password_resets"`);
    await queryRunner.query(`ALTER TABLE "password_resets" DROP COLUMN "email_key"`);
    await queryRunner.query(`ALTER TABLE "password_resets" ADD "subject_id" text NOT NULL`);
    await queryRunner.query(`CREATE INDEX "password_resets_subject" ON "password_resets" ("subject_id")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "password_resets"`);
    await queryRunner.query(`ALTER TABLE "password_resets" DROP COLUMN "subject_id"`);
    await queryRunner.query(`ALTER TABLE "password_resets" ADD "email_key" text NOT NULL`);
    await queryRunner.query(`CREATE INDEX "password_resets_email" ON "password_resets" ("email_key")`);
  }
}
