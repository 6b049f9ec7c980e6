import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The old and new values of changes, beside the entries of the audit log, whose details have a salted hash of them. They
 * can be erased, and nothing else. The previous release records none.
 */
export class AuditLogChanges1796035000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "audit_log_changes"`);
    await queryRunner.query('DROP FUNCTION audit_log_reject_altered_changes()');
  }
}

const STATEMENTS = [
  // `json` keeps the text that the hash is of; `jsonb` would reorder it.
  `CREATE TABLE "audit_log_changes" (
    "id" text NOT NULL,
    "salt" bytea,
    "changes" json,
    CONSTRAINT "audit_log_changes_pkey" PRIMARY KEY ("id")
  )`,
  `CREATE FUNCTION audit_log_reject_altered_changes() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF NEW.id = OLD.id AND NEW.salt IS NULL AND NEW.changes IS NULL THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: its values are only erased' USING ERRCODE = 'restrict_violation';
  END $$`,
  `CREATE TRIGGER audit_log_changes_unaltered BEFORE UPDATE ON "audit_log_changes"
    FOR EACH ROW EXECUTE FUNCTION audit_log_reject_altered_changes()`,
  `CREATE TRIGGER audit_log_changes_kept BEFORE DELETE OR TRUNCATE ON "audit_log_changes"
    FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change()`,
];
