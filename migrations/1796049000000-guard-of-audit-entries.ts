import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The guard of entries beside accounts looks for the chain in the schema of their table. It looked for it in the search path
 * of the session, and let all deletions pass where it was not on it.
 */
export class GuardOfAuditEntries1796049000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(BY_SCHEMA);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(BY_SEARCH_PATH);
  }
}

// On a worker of Citus there is no chain to compare with: there the receipt shows what was deleted.
const BY_SCHEMA = `
  CREATE OR REPLACE FUNCTION account_audit_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  DECLARE
    is_sealed boolean;
  BEGIN
    IF to_regclass(format('%I.audit_log', TG_TABLE_SCHEMA)) IS NULL THEN
      RETURN NULL;
    END IF;
    EXECUTE format('SELECT EXISTS (SELECT FROM %I.audit_log WHERE id = $1)', TG_TABLE_SCHEMA)
      INTO is_sealed USING OLD.id;
    IF NOT is_sealed THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`;

const BY_SEARCH_PATH = `
  CREATE OR REPLACE FUNCTION account_audit_reject_unsealed_delete() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF to_regclass('audit_log') IS NULL THEN
      RETURN NULL;
    END IF;
    IF NOT EXISTS (SELECT FROM audit_log WHERE id = OLD.id) THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $$`;
