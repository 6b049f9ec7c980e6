import { MigrationInterface, QueryRunner } from 'typeorm';

/** When the password was last confirmed in a session. The previous release does not write it: null is the login. */
export class SessionAuthentication1795400300000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "sessions" ADD "authenticated_at" timestamptz(3)`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "sessions" DROP COLUMN "authenticated_at"`);
  }
}
