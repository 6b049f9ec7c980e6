import { MigrationInterface, QueryRunner } from 'typeorm';

/** Approvals, and adjustments that wait for one. The previous release writes only adjustments that are posted. */
export class Approvals1796003200000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`CREATE TABLE "approvals" (
      "account_id" text NOT NULL,
      "id" text NOT NULL,
      "type" text NOT NULL,
      "object_id" text NOT NULL,
      "details" json NOT NULL,
      "reason" text NOT NULL,
      "status" text NOT NULL,
      "requested_by" text NOT NULL,
      "decided_by" text,
      "rejection_reason" text,
      "created_at" timestamptz(3) NOT NULL,
      "updated_at" timestamptz(3) NOT NULL,
      "expires_at" timestamptz(3) NOT NULL,
      "event_count" integer NOT NULL DEFAULT 0,
      CONSTRAINT "CHK_f7b4fbd89bf0d4c86e257db961" CHECK (status IN ('pending', 'approved', 'rejected', 'expired')),
      PRIMARY KEY ("account_id", "id")
    )`);
    for (const index of [
      `"approvals_newest" ON "approvals" ("id" NULLS FIRST)`,
      `"approvals_account_status_type" ON "approvals" ("account_id", "status", "type", "id")`,
      `"approvals_status_type" ON "approvals" ("status" NULLS FIRST, "type", "id")`,
      `"approvals_due" ON "approvals" ("expires_at") WHERE status = 'pending'`,
    ])
      await queryRunner.query(`CREATE INDEX ${index}`);
    await queryRunner.query(`ALTER TABLE "adjustments" DROP CONSTRAINT "CHK_30dc00a6b6678e0c7d1c0920da"`);
    await queryRunner.query(
      `ALTER TABLE "adjustments" ADD "approval_id" text,
        ADD CONSTRAINT "CHK_15150812b479293b3989af9cee" CHECK (status IN ('pending', 'posted', 'rejected', 'expired'))`,
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `ALTER TABLE "adjustments" DROP "approval_id", DROP CONSTRAINT "CHK_15150812b479293b3989af9cee"`,
    );
    await queryRunner.query(
      `ALTER TABLE "adjustments" ADD CONSTRAINT "CHK_30dc00a6b6678e0c7d1c0920da" CHECK (status IN ('posted'))`,
    );
    await queryRunner.query(`DROP TABLE "approvals"`);
  }
}
