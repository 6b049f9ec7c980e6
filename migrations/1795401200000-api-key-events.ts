import { MigrationInterface, QueryRunner } from 'typeorm';

/** API keys count their events. The previous release records none and leaves the column as it is. */
export class ApiKeyEvents1795401200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "api_keys" ADD "event_count" integer NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`ALTER TABLE "api_keys" DROP "event_count"`);
  }
}
