import { MigrationInterface, QueryRunner } from 'typeorm';

export class SampleItems1798761600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "sample_items" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "status" text NOT NULL CHECK (status IN ('active', 'expired', 'canceled')),
      "reference" text,
      "expires_at" timestamptz(3) NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "event_count" integer NOT NULL DEFAULT 0,
      PRIMARY KEY ("account_id", "id")
    )`);
    for (const index of [
      `"sample_items_newest" ON "sample_items" ("id" NULLS FIRST)`,
      `"sample_items_account_status" ON "sample_items" ("account_id", "status", "id")`,
      `"sample_items_status" ON "sample_items" ("status" NULLS FIRST, "id")`,
      `"sample_items_account_reference_status" ON "sample_items" ("account_id", "reference", "status", "id") WHERE reference IS NOT NULL`,
      `"sample_items_reference_status" ON "sample_items" ("reference" NULLS FIRST, "status", "id") WHERE reference IS NOT NULL`,
      `"sample_items_due" ON "sample_items" ("expires_at", "account_id") WHERE status = 'active'`,
    ])
      await queryRunner.query(`CREATE INDEX ${index}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "sample_items"`);
  }
}
