import { MigrationInterface, QueryRunner } from 'typeorm';

/** Money between accounts: one row for each side of a transfer. */
export class Transfers1796036000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "transfers" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "direction" text NOT NULL,
      "amount" bigint NOT NULL,
      "currency" text NOT NULL,
      "status" text NOT NULL,
      "from_account_id" text NOT NULL,
      "from_name" text NOT NULL,
      "parts" jsonb NOT NULL,
      "counterparty" text,
      "reference" text,
      "metadata" jsonb NOT NULL DEFAULT '{}',
      "released_amount" bigint NOT NULL DEFAULT 0,
      "reversed_amount" bigint NOT NULL DEFAULT 0,
      "reversal_of" text,
      "capture" text NOT NULL,
      "expires_at" timestamptz(3),
      "approval_id" text,
      "approved_at" timestamptz(3),
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "event_count" integer NOT NULL DEFAULT 0,
      CONSTRAINT "CHK_72f64408be55d128bccb2b5c13" CHECK (status IN ('pending', 'succeeded', 'canceled', 'expired')),
      CONSTRAINT "CHK_d29a18a61c2e06e04f786ba923" CHECK (direction IN ('in', 'out')),
      CONSTRAINT "CHK_086e4e20a28fe8a1e978bf5dc9" CHECK (amount BETWEEN 1 AND 9007199254740991 AND reversed_amount BETWEEN 0 AND amount),
      PRIMARY KEY ("account_id", "id")
    )`);
    for (const index of [
      `"transfers_newest" ON "transfers" ("id" NULLS FIRST)`,
      `"transfers_account_status_direction" ON "transfers" ("account_id", "status", "direction", "id")`,
      `"transfers_status_direction" ON "transfers" ("status" NULLS FIRST, "direction", "id")`,
      `"transfers_account_reference_status_direction" ON "transfers" ("account_id", "reference", "status", "direction", "id") WHERE reference IS NOT NULL`,
      `"transfers_reference_status_direction" ON "transfers" ("reference" NULLS FIRST, "status", "direction", "id") WHERE reference IS NOT NULL`,
      `"transfers_account_amount" ON "transfers" ("account_id", "amount", "id")`,
      `"transfers_amount" ON "transfers" ("amount" NULLS FIRST, "id")`,
      `"transfers_due" ON "transfers" ("expires_at", "account_id") WHERE status = 'pending' AND direction = 'out' AND expires_at IS NOT NULL`,
      `"transfers_pending" ON "transfers" ("account_id") WHERE status = 'pending'`,
    ])
      await queryRunner.query(`CREATE INDEX ${index}`);
    // What older releases add has moved between no accounts.
    await queryRunner.query(`ALTER TABLE daily_totals ADD COLUMN total_moved numeric NOT NULL DEFAULT 0`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('ALTER TABLE daily_totals DROP COLUMN total_moved');
    await queryRunner.query('DROP TABLE transfers');
  }
}
