import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The newest event of each account that was deleted, which tells a reader that is behind it what it has missed. What the
 * previous release deletes is not recorded.
 */
export class EventPurges1796029000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "event_purges" (
      "account_id" text NOT NULL,
      "event_id" text NOT NULL,
      PRIMARY KEY ("account_id")
    )`);
    await queryRunner.query(`CREATE INDEX "event_purges_newest" ON "event_purges" ("event_id")`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "event_purges"`);
  }
}
