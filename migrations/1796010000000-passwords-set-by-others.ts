import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Whether somebody else than its owner set a password. The previous release does not write it: a password that it sets
 * counts as set by the owner, or as what the password before was.
 */
export class PasswordsSetByOthers1796010000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "credentials" ADD "password_set_by_other" boolean NOT NULL DEFAULT false`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "credentials" DROP COLUMN "password_set_by_other"`);
  }
}
