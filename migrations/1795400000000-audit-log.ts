import { MigrationInterface, QueryRunner } from 'typeorm';

/** The audit log: a chain of entries that are only ever added, and its head. */
export class AuditLog1795400000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  // `json` keeps the text that is part of the hash; `jsonb` would reorder it.
  `CREATE TABLE "audit_log" (
    "sequence" bigint NOT NULL,
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
    "hash" bytea NOT NULL,
    CONSTRAINT "audit_log_pkey" PRIMARY KEY ("sequence"),
    CONSTRAINT "audit_log_outcome" CHECK (outcome IN ('succeeded', 'failed', 'refused'))
  )`,
  `CREATE UNIQUE INDEX "audit_log_id" ON "audit_log" ("id")`,
  `CREATE INDEX "audit_log_actor" ON "audit_log" ("actor_id", "sequence")`,
  `CREATE INDEX "audit_log_action" ON "audit_log" ("action", "sequence")`,
  `CREATE INDEX "audit_log_object" ON "audit_log" ("object_id", "sequence")`,
  `CREATE INDEX "audit_log_account" ON "audit_log" ("account_id", "sequence")`,
  // Entries are added in the order of time, so a small BRIN index finds a period.
  `CREATE INDEX "audit_log_time" ON "audit_log" USING brin ("created_at")`,

  `CREATE TABLE "audit_log_head" (
    "singleton" boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    "sequence" bigint NOT NULL DEFAULT 0,
    "hash" bytea NOT NULL DEFAULT ''
  )`,
  `INSERT INTO "audit_log_head" DEFAULT VALUES`,

  `CREATE FUNCTION audit_log_reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % is rejected', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER audit_log_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
  `CREATE TRIGGER audit_log_head_kept BEFORE DELETE OR TRUNCATE ON "audit_log_head"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
];

const REVERSE = [
  `DROP TABLE "audit_log_head"`,
  `DROP TABLE "audit_log"`,
  `DROP FUNCTION audit_log_reject_change()`,
];
