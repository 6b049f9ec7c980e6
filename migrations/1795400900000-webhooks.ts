import { MigrationInterface, QueryRunner } from 'typeorm';

/** Endpoints to which the events of accounts are delivered, and the deliveries. */
export class Webhooks1795400900000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`DROP TABLE "webhook_deliveries"`);
    await queryRunner.query(`DROP TABLE "webhook_endpoints"`);
  }
}

const STATEMENTS = [
  `CREATE TABLE "webhook_endpoints" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "url" text NOT NULL,
    "event_types" text array,
    "secrets" jsonb NOT NULL,
    "disabled_at" timestamptz(3),
    "disabled_reason" text,
    "failing_since" timestamptz(3),
    "failures" integer NOT NULL,
    "paused_until" timestamptz(3),
    "next_due_at" timestamptz(3),
    "leased_until" timestamptz(3),
    "notice_due_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_a68b9d51c7d281a922aa1527a7"
      CHECK (disabled_reason IN ('requested', 'gone', 'failing', 'account_closed')),
    CONSTRAINT "CHK_8bfd0f0e2eba7e0dc752355a21" CHECK ((disabled_at IS NULL) = (disabled_reason IS NULL)),
    CONSTRAINT "PK_f792af877f4e9c769bf04d141f4" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "webhook_endpoints_newest" ON "webhook_endpoints" ("id")`,
  `CREATE INDEX "webhook_endpoints_due" ON "webhook_endpoints" ("next_due_at") WHERE next_due_at IS NOT NULL`,
  `CREATE INDEX "webhook_endpoints_notices" ON "webhook_endpoints" ("notice_due_at")
    WHERE notice_due_at IS NOT NULL`,
  `CREATE TABLE "webhook_deliveries" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "endpoint_id" text NOT NULL,
    "event_id" text NOT NULL,
    "event_type" text NOT NULL,
    "status" text NOT NULL,
    "attempts" integer NOT NULL,
    "next_attempt_at" timestamptz(3),
    "last_attempt_at" timestamptz(3),
    "error" text,
    "response_status" integer,
    "response_body" text,
    "duration_ms" integer,
    "created_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_11b15a1a80b7532e982bb8a133" CHECK (status IN ('pending', 'succeeded', 'failed')),
    CONSTRAINT "CHK_7d6195e6e94fe229cef7d30e91" CHECK ((status = 'pending') = (next_attempt_at IS NOT NULL)),
    CONSTRAINT "PK_775b70378c1310e3bb420312e9f" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "webhook_deliveries_account_endpoint_id_status"
    ON "webhook_deliveries" ("account_id", "endpoint_id", "status", "id")`,
  `CREATE INDEX "webhook_deliveries_due" ON "webhook_deliveries" ("account_id", "endpoint_id", "next_attempt_at")
    WHERE status = 'pending'`,
  `CREATE INDEX "webhook_deliveries_created" ON "webhook_deliveries" ("created_at")`,
];
