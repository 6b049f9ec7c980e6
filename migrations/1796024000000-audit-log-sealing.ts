import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Entries of the audit log are recorded here with the change, and sealed into the chain of `audit_log` afterwards. The
 * previous release adds its entries to the chain itself, under the lock on its head, which sealing takes too.
 */
export class AuditLogSealing1796024000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  // `json` keeps the text that is part of the digest; `jsonb` would reorder it.
  `CREATE TABLE "audit_log_unsealed" (
    "id" text NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "actor_id" text,
    "actor_role" text,
    "session_id" text,
    "action" text NOT NULL,
    "object_id" text,
    "account_id" text,
    "outcome" text NOT NULL,
    "reason" text,
    "details" json NOT NULL,
    "ip" text,
    "user_agent" text,
    "request_id" text,
    "digest" bytea NOT NULL,
    CONSTRAINT "audit_log_unsealed_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "audit_log_unsealed_outcome_known" CHECK (outcome IN ('succeeded', 'failed', 'refused'))
  )`,
  // Only the verification reads it, as a whole, so it needs no index.
  `CREATE TABLE "audit_log_receipts" (
    "id" text NOT NULL,
    "digest" bytea NOT NULL
  )`,

  `CREATE FUNCTION audit_log_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM deleted WHERE NOT EXISTS (SELECT FROM audit_log WHERE audit_log.id = deleted.id)) THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`,
  `CREATE TRIGGER audit_log_unsealed_append_only BEFORE UPDATE OR TRUNCATE ON "audit_log_unsealed"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
  `CREATE TRIGGER audit_log_unsealed_deleted AFTER DELETE ON "audit_log_unsealed" REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_unsealed_delete()`,
  `CREATE TRIGGER audit_log_receipts_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log_receipts"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
];

const REVERSE = [
  `DROP TABLE "audit_log_receipts"`,
  `DROP TABLE "audit_log_unsealed"`,
  `DROP FUNCTION audit_log_reject_unsealed_delete()`,
];
