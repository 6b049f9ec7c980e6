import { MigrationInterface, QueryRunner } from 'typeorm';

/** The journal, its guards, and what transactions need for holds, settlement and linked refunds. */
export class Journal1795140000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `CREATE TABLE "journal_entries" (
    "account_id" text NOT NULL,
    "number" bigint NOT NULL,
    "transaction_id" text NOT NULL,
    "leg" text NOT NULL,
    "amount" bigint NOT NULL,
    "currency" text NOT NULL,
    "balance" bigint NOT NULL,
    "posted_at" timestamptz(3) NOT NULL,
    "hash" bytea NOT NULL,
    CONSTRAINT "CHK_14aadc59ca1be44bd7d4212b1b" CHECK (leg IN ('customer', 'clearing') AND amount <> 0),
    CONSTRAINT "CHK_4fd4f7c51e0655e24ff4687f44" CHECK (leg <> 'customer' OR balance BETWEEN 0 AND 9007199254740991),
    CONSTRAINT "PK_3a8897297e0cbb11c6ca5ca02b5" PRIMARY KEY ("account_id", "number")
  )`,
  `CREATE UNIQUE INDEX "journal_entries_posting" ON "journal_entries" ("account_id", "transaction_id") WHERE leg = 'customer'`,
  `CREATE INDEX "journal_entries_time" ON "journal_entries" ("account_id", "posted_at", "number") WHERE leg = 'customer'`,

  // What is written in the journal stays as it is, whoever asks.
  `CREATE FUNCTION journal_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the journal is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER journal_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "journal_entries"
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuse_change()`,

  // The entries of a posting come in one statement, so each statement must sum to zero, posting by posting.
  `CREATE FUNCTION journal_refuse_unbalanced() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (
      SELECT FROM added GROUP BY account_id, transaction_id, currency HAVING sum(amount) <> 0
    ) THEN
      RAISE EXCEPTION 'a posting does not sum to zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER journal_balanced AFTER INSERT ON "journal_entries" REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION journal_refuse_unbalanced()`,

  `ALTER TABLE "accounts"
    ADD "entry_count" bigint NOT NULL DEFAULT 0,
    ADD "chain_head" bytea`,
  `ALTER TABLE "transactions"
    ADD "source_transaction_id" text,
    ADD "refunded" bigint NOT NULL DEFAULT 0,
    ADD "settles_at" timestamptz(3),
    ADD "due_outcome" text,
    ADD "failure_reason" text,
    ADD CONSTRAINT "CHK_a0cd470012483a1c2abddc0607" CHECK (refunded BETWEEN 0 AND amount)`,
  `CREATE INDEX "transactions_due" ON "transactions" ("settles_at", "account_id")
    WHERE status = 'pending' AND settles_at IS NOT NULL`,

  // The row of a busy account changes with every transaction: room beside it keeps its indexes out of that.
  `ALTER TABLE "accounts" SET (fillfactor = 70)`,

  // One row: what kind of money this database is about.
  `CREATE TABLE "installation" (
    "singleton" boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    "processor_kind" text NOT NULL
  )`,
];

const REVERSE = [
  `DROP TABLE "installation"`,
  `ALTER TABLE "accounts" RESET (fillfactor)`,
  `DROP INDEX "transactions_due"`,
  `ALTER TABLE "transactions"
    DROP "source_transaction_id", DROP "refunded", DROP "settles_at", DROP "due_outcome", DROP "failure_reason"`,
  `ALTER TABLE "accounts" DROP "entry_count", DROP "chain_head"`,
  `DROP TABLE "journal_entries"`,
  `DROP FUNCTION journal_refuse_unbalanced()`,
  `DROP FUNCTION journal_refuse_change()`,
];
