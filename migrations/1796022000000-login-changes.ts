import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * When the password, the email and the second factor of each login were last changed, and by whom. What the previous
 * release changes is not recorded.
 */
export class LoginChanges1796022000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "credentials" ADD "login_changes" jsonb NOT NULL DEFAULT '{}'`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "credentials" DROP COLUMN "login_changes"`);
  }
}
