import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Renames stored values, columns and functions to the standard terms. The previous release cannot run beside it: stop
 * all its replicas before the upgrade.
 */
export class StandardValues1795330000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `ALTER TABLE "unapplied_payments" RENAME "payment_id" TO "payment_request_id"`,
  `ALTER TABLE "unapplied_payments" RENAME "failure" TO "failure_reason"`,
  `UPDATE "unapplied_payments" SET
    "reason" = CASE "reason" WHEN 'refused' THEN 'rejected' ELSE "reason" END,
    "failure_reason" = CASE "failure_reason" WHEN 'no_answer' THEN 'no_response' ELSE "failure_reason" END
   WHERE "reason" = 'refused' OR "failure_reason" = 'no_answer'`,
  `ALTER TABLE "installation" RENAME "processor_kind" TO "mode"`,
  `UPDATE "installation" SET "mode" = 'test' WHERE "mode" = 'sandbox'`,
  `ALTER TABLE "installation" ADD CONSTRAINT "installation_mode_check" CHECK (mode IN ('test', 'live'))`,
  `ALTER FUNCTION journal_refuse_change RENAME TO journal_reject_change`,
  `CREATE OR REPLACE FUNCTION journal_reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the journal is append-only: % is not allowed', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `ALTER FUNCTION journal_refuse_unbalanced RENAME TO journal_reject_unbalanced`,
];

const REVERSE = [
  `ALTER FUNCTION journal_reject_unbalanced RENAME TO journal_refuse_unbalanced`,
  `ALTER FUNCTION journal_reject_change RENAME TO journal_refuse_change`,
  `CREATE OR REPLACE FUNCTION journal_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'the journal is append-only: % is refused', TG_OP USING ERRCODE = 'restrict_violation';
  END $$`,
  `ALTER TABLE "installation" DROP CONSTRAINT "installation_mode_check"`,
  `UPDATE "installation" SET "mode" = 'sandbox' WHERE "mode" = 'test'`,
  `ALTER TABLE "installation" RENAME "mode" TO "processor_kind"`,
  `UPDATE "unapplied_payments" SET
    "reason" = CASE "reason" WHEN 'rejected' THEN 'refused' ELSE "reason" END,
    "failure_reason" = CASE "failure_reason" WHEN 'no_response' THEN 'no_answer' ELSE "failure_reason" END
   WHERE "reason" = 'rejected' OR "failure_reason" = 'no_response'`,
  `ALTER TABLE "unapplied_payments" RENAME "failure_reason" TO "failure"`,
  `ALTER TABLE "unapplied_payments" RENAME "payment_request_id" TO "payment_id"`,
];
