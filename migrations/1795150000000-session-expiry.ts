import { MigrationInterface, QueryRunner } from 'typeorm';

/** Sessions that are over are found by their expiry, to be deleted. */
export class SessionExpiry1795150000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('CREATE INDEX "sessions_expiry" ON "sessions" ("expires_at")');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP INDEX "sessions_expiry"');
  }
}
