import { MigrationInterface, QueryRunner } from 'typeorm';

/** Users and accounts that are invited, and the emails to them. */
export class Invitations1796041000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "credentials" ADD "invited" boolean NOT NULL DEFAULT false`);
    await queryRunner.query(`ALTER TABLE "security_emails" DROP CONSTRAINT "CHK_9c1ac3164d03537ea87ee60205"`);
    await queryRunner.query(
      `ALTER TABLE "security_emails" ADD CONSTRAINT "CHK_20b81c747fd5050b73bdaeaea6" CHECK (kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification', 'invitation'))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DELETE FROM "security_emails" WHERE kind = 'invitation'`);
    await queryRunner.query(`ALTER TABLE "security_emails" DROP CONSTRAINT "CHK_20b81c747fd5050b73bdaeaea6"`);
    await queryRunner.query(
      `ALTER TABLE "security_emails" ADD CONSTRAINT "CHK_9c1ac3164d03537ea87ee60205" CHECK (kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification'))`,
    );
    await queryRunner.query(`ALTER TABLE "credentials" DROP COLUMN "invited"`);
  }
}
