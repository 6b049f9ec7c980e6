import { MigrationInterface, QueryRunner } from 'typeorm';

/** Corrections of balances by admins. */
export class Adjustments1796003100000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "adjustments" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "amount" bigint NOT NULL,
      "currency" text NOT NULL,
      "type" text NOT NULL,
      "status" text NOT NULL,
      "reason" text NOT NULL,
      "reference" text,
      "created_by" text NOT NULL,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "event_count" integer NOT NULL DEFAULT 0,
      CONSTRAINT "CHK_30dc00a6b6678e0c7d1c0920da" CHECK (status IN ('posted')),
      CONSTRAINT "CHK_de091b93e70bc66a5116ae894c" CHECK (amount BETWEEN 1 AND 9007199254740991),
      CONSTRAINT "CHK_6814d4f4232521d0f504e74c26" CHECK (type IN ('credit', 'debit')),
      PRIMARY KEY ("account_id", "id")
    )`);
    for (const index of [
      `"adjustments_newest" ON "adjustments" ("id" NULLS FIRST)`,
      `"adjustments_account_status" ON "adjustments" ("account_id", "status", "id")`,
      `"adjustments_status" ON "adjustments" ("status" NULLS FIRST, "id")`,
      `"adjustments_account_reference_status" ON "adjustments" ("account_id", "reference", "status", "id") WHERE reference IS NOT NULL`,
      `"adjustments_reference_status" ON "adjustments" ("reference" NULLS FIRST, "status", "id") WHERE reference IS NOT NULL`,
    ])
      await queryRunner.query(`CREATE INDEX ${index}`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "adjustments"`);
  }
}
