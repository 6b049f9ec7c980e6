import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * One guard for both tables whose entries wait to be sealed. It looks for the chain in the schema of the table: by the
 * search path of the session, it let deletions beside accounts pass where the chain was not on it. It runs once for a
 * statement: once for each row, it took 20 times as long as the deletion itself.
 */
export class GuardOfAuditEntries1796049000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  // On a worker of Citus there is no chain to compare with: there the receipt shows what was deleted.
  `CREATE OR REPLACE FUNCTION audit_log_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    has_unsealed boolean;
  BEGIN
    IF to_regclass(format('%I.audit_log', TG_TABLE_SCHEMA)) IS NULL THEN
      RETURN NULL;
    END IF;
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM deleted WHERE NOT EXISTS (SELECT FROM %I.audit_log WHERE audit_log.id = deleted.id))',
      TG_TABLE_SCHEMA
    ) INTO has_unsealed;
    IF has_unsealed THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`,
  `DROP TRIGGER account_audit_entries_deleted ON "account_audit_entries"`,
  `CREATE TRIGGER account_audit_entries_deleted AFTER DELETE ON "account_audit_entries" REFERENCING OLD TABLE AS deleted
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_unsealed_delete()`,
  'DROP FUNCTION account_audit_reject_unsealed_delete()',
];

const REVERSE = [
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
  `DROP TRIGGER account_audit_entries_deleted ON "account_audit_entries"`,
  `CREATE TRIGGER account_audit_entries_deleted AFTER DELETE ON "account_audit_entries"
    FOR EACH ROW EXECUTE FUNCTION account_audit_reject_unsealed_delete()`,
  `CREATE OR REPLACE FUNCTION audit_log_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF EXISTS (SELECT FROM deleted WHERE NOT EXISTS (SELECT FROM audit_log WHERE audit_log.id = deleted.id)) THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`,
];
