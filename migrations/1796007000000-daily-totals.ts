import { MigrationInterface, QueryRunner } from 'typeorm';

/** What the journal has recorded in all accounts, by day and currency, up to the time in the head. */
export class DailyTotals1796007000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "daily_totals" (
      "currency" text NOT NULL,
      "day" date NOT NULL,
      "total_in" numeric NOT NULL,
      "total_out" numeric NOT NULL,
      "entry_count" bigint NOT NULL,
      PRIMARY KEY ("currency", "day")
    )`);
    await queryRunner.query(`CREATE TABLE "daily_totals_head" (
      "singleton" boolean NOT NULL DEFAULT true CHECK ("singleton"),
      "rolled_until" timestamptz(3) NOT NULL,
      PRIMARY KEY ("singleton")
    )`);
    // Before the first entry: a periodic task adds all that are there.
    await queryRunner.query(
      `INSERT INTO "daily_totals_head" ("rolled_until") VALUES ('1970-01-01T00:00:00Z')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "daily_totals_head"`);
    await queryRunner.query(`DROP TABLE "daily_totals"`);
  }
}
