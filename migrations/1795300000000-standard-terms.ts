import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Renames tables, columns and states to the standard terms. The previous release cannot run beside it: stop all its
 * replicas before the upgrade.
 */
export class StandardTerms1795300000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `ALTER TABLE "credentials" RENAME "standing" TO "membership_role"`,
  `ALTER TABLE "credentials" RENAME "barred" TO "disabled"`,
  `ALTER TABLE "sessions" RENAME "standing" TO "membership_role"`,
  `ALTER TABLE "idempotency_records" RENAME "answer" TO "response"`,
  `ALTER TABLE "late_payments" RENAME TO "unapplied_payments"`,
  `ALTER TABLE "unapplied_payments" RENAME CONSTRAINT "PK_0d64d9159cd995d57b1051b5f41" TO "PK_unapplied_payments"`,
  `ALTER TABLE "unapplied_payments" RENAME CONSTRAINT "CHK_e508bae22f897d8cba0038950e" TO "CHK_de6a6b56a60e4ce6524418483b"`,
  `ALTER TABLE "unapplied_payments" DROP CONSTRAINT "CHK_103bf0073adf2a10a64a2a7e60"`,
  `UPDATE "unapplied_payments" SET
    "id" = 'unp' || substr("id", 5),
    "status" = CASE "status" WHEN 'stuck' THEN 'needs_attention' ELSE "status" END`,
  `ALTER TABLE "unapplied_payments" ADD CONSTRAINT "CHK_af3fab067bff9ceac99ef189fe"
    CHECK (status IN ('received', 'returned', 'needs_attention'))`,
  `ALTER INDEX "late_payments_id" RENAME TO "unapplied_payments_id"`,
  `ALTER INDEX "late_payments_reference" RENAME TO "unapplied_payments_reference"`,
  `ALTER INDEX "late_payments_due" RENAME TO "unapplied_payments_due"`,
];

const REVERSE = [
  `ALTER INDEX "unapplied_payments_due" RENAME TO "late_payments_due"`,
  `ALTER INDEX "unapplied_payments_reference" RENAME TO "late_payments_reference"`,
  `ALTER INDEX "unapplied_payments_id" RENAME TO "late_payments_id"`,
  `ALTER TABLE "unapplied_payments" DROP CONSTRAINT "CHK_af3fab067bff9ceac99ef189fe"`,
  `UPDATE "unapplied_payments" SET
    "id" = 'late' || substr("id", 4),
    "status" = CASE "status" WHEN 'needs_attention' THEN 'stuck' ELSE "status" END`,
  `ALTER TABLE "unapplied_payments" ADD CONSTRAINT "CHK_103bf0073adf2a10a64a2a7e60"
    CHECK (status IN ('received', 'returned', 'stuck'))`,
  `ALTER TABLE "unapplied_payments" RENAME CONSTRAINT "CHK_de6a6b56a60e4ce6524418483b" TO "CHK_e508bae22f897d8cba0038950e"`,
  `ALTER TABLE "unapplied_payments" RENAME CONSTRAINT "PK_unapplied_payments" TO "PK_0d64d9159cd995d57b1051b5f41"`,
  `ALTER TABLE "unapplied_payments" RENAME TO "late_payments"`,
  `ALTER TABLE "idempotency_records" RENAME "response" TO "answer"`,
  `ALTER TABLE "sessions" RENAME "membership_role" TO "standing"`,
  `ALTER TABLE "credentials" RENAME "disabled" TO "barred"`,
  `ALTER TABLE "credentials" RENAME "membership_role" TO "standing"`,
];
