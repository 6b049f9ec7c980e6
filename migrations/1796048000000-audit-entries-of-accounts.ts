import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * What operators do with what an account owns is recorded beside the account, so that Citus commits it with the change on
 * one worker. Entries and receipts are otherwise those of `audit_log_unsealed` and `audit_log_receipts`, and are sealed
 * into the same chain. The previous release neither shows nor seals them.
 */
export class AuditEntriesOfAccounts1796048000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `CREATE TABLE "account_audit_entries" (
    "id" text NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "actor_id" text,
    "actor_role" text,
    "session_id" text,
    "action" text NOT NULL,
    "object_id" text,
    "account_id" text NOT NULL,
    "outcome" text NOT NULL,
    "reason" text,
    "details" json NOT NULL,
    "ip" text,
    "user_agent" text,
    "request_id" text,
    "digest" bytea NOT NULL,
    CONSTRAINT "account_audit_entries_pkey" PRIMARY KEY ("account_id", "id"),
    CONSTRAINT "account_audit_entries_outcome_known" CHECK (outcome IN ('succeeded', 'failed', 'refused'))
  )`,
  `CREATE TABLE "account_audit_receipts" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "digest" bytea NOT NULL,
    CONSTRAINT "account_audit_receipts_pkey" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "account_audit_entries_by_id" ON "account_audit_entries" ("id")`,
  // On a worker of Citus there is no chain to compare with: there the receipt shows what was deleted.
  `CREATE FUNCTION account_audit_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_regclass('audit_log') IS NULL THEN
      RETURN NULL;
    END IF;
    IF NOT EXISTS (SELECT FROM audit_log WHERE id = OLD.id) THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER account_audit_entries_deleted AFTER DELETE ON "account_audit_entries"
    FOR EACH ROW EXECUTE FUNCTION account_audit_reject_unsealed_delete()`,
  `CREATE TRIGGER account_audit_entries_append_only BEFORE UPDATE OR TRUNCATE ON "account_audit_entries"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
  `CREATE TRIGGER account_audit_receipts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "account_audit_receipts"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
];

const REVERSE = [
  'LOCK TABLE "account_audit_entries", "account_audit_receipts" IN ACCESS EXCLUSIVE MODE',
  `INSERT INTO "audit_log_receipts" (id, digest) SELECT id, digest FROM "account_audit_receipts"`,
  `INSERT INTO "audit_log_unsealed"
     (id, created_at, actor_id, actor_role, session_id, action, object_id, account_id, outcome, reason, details, ip,
      user_agent, request_id, digest)
   SELECT id, created_at, actor_id, actor_role, session_id, action, object_id, account_id, outcome, reason, details, ip,
     user_agent, request_id, digest
   FROM "account_audit_entries"`,
  `DROP TABLE "account_audit_receipts"`,
  `DROP TABLE "account_audit_entries"`,
  'DROP FUNCTION account_audit_reject_unsealed_delete()',
];
