import { MigrationInterface, QueryRunner } from 'typeorm';

export class Payouts1798761600000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "payouts" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "amount" bigint NOT NULL,
      "currency" text NOT NULL,
      "reference" text,
      "status" text NOT NULL CHECK (status IN ('pending', 'paid', 'failed', 'canceled')),
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      PRIMARY KEY ("account_id", "id")
    )`);
    for (const index of [
      `"payouts_newest" ON "payouts" ("id" NULLS FIRST)`,
      `"payouts_account_status" ON "payouts" ("account_id", "status", "id")`,
      `"payouts_status" ON "payouts" ("status" NULLS FIRST, "id")`,
      `"payouts_account_reference_status" ON "payouts" ("account_id", "reference", "status", "id") WHERE reference IS NOT NULL`,
      `"payouts_reference_status" ON "payouts" ("reference" NULLS FIRST, "status", "id") WHERE reference IS NOT NULL`,
    ])
      await queryRunner.query(`CREATE INDEX ${index}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "payouts"`);
  }
}
