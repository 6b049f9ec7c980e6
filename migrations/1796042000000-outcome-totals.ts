import { MigrationInterface, QueryRunner } from 'typeorm';

/** How the transactions of all accounts have ended in each hour, up to the time in the head. */
export class OutcomeTotals1796042000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "hourly_outcomes" (
      "hour" timestamptz(3) NOT NULL,
      "currency" text NOT NULL,
      "type" text NOT NULL,
      "outcome" text NOT NULL,
      "reason" text NOT NULL,
      "count" bigint NOT NULL,
      "amount" numeric NOT NULL,
      PRIMARY KEY ("hour", "currency", "type", "outcome", "reason")
    )`);
    await queryRunner.query(`CREATE TABLE "hourly_outcomes_head" (
      "singleton" boolean NOT NULL DEFAULT true CHECK ("singleton"),
      "summed_until" timestamptz(3) NOT NULL,
      PRIMARY KEY ("singleton")
    )`);
    // Before the first event: a periodic task adds those of the last 30 days.
    await queryRunner.query(
      `INSERT INTO "hourly_outcomes_head" ("summed_until") VALUES ('1970-01-01T00:00:00Z')`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "hourly_outcomes_head"`);
    await queryRunner.query(`DROP TABLE "hourly_outcomes"`);
  }
}
