import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Moves hosted checkouts and emails out of the payment requests into tables of their own. The previous release cannot
 * run beside it: stop all its replicas before the upgrade.
 */
export class PaymentModules1795320000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `CREATE TABLE "hosted_checkouts" (
    "account_id" text NOT NULL,
    "payment_request_id" text NOT NULL,
    "attempt" integer NOT NULL,
    "processor_reference" text,
    "status" text NOT NULL,
    "title" text NOT NULL,
    "expires_at" timestamptz(3) NOT NULL,
    "due_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_848dafabb89938893ded6c8dbd" CHECK (status IN ('open', 'processing', 'ended')),
    CONSTRAINT "PK_4bca5ad06c81a45a3935c8bdf55" PRIMARY KEY ("account_id", "payment_request_id")
  )`,
  `INSERT INTO "hosted_checkouts"
   SELECT "account_id", "id", ("checkout"->>'attempt')::integer, "checkout"->>'id',
     CASE "checkout"->>'state' WHEN 'over' THEN 'ended' ELSE "checkout"->>'state' END,
     "checkout"->>'title', ("checkout"->>'expiresAt')::timestamptz, "checkout_due_at", "created_at", "updated_at"
   FROM "payment_requests" WHERE "checkout" IS NOT NULL`,
  `CREATE INDEX "hosted_checkouts_due" ON "hosted_checkouts" ("due_at") WHERE due_at IS NOT NULL`,
  `CREATE TABLE "payment_emails" (
    "account_id" text NOT NULL,
    "payment_request_id" text NOT NULL,
    "kind" text NOT NULL,
    "due_at" timestamptz(3),
    "sent_at" timestamptz(3),
    CONSTRAINT "CHK_18aec3fb49718c60232409f465" CHECK (kind IN ('request', 'receipt')),
    CONSTRAINT "PK_bd3da16f99a6189d701aaa66c33" PRIMARY KEY ("account_id", "payment_request_id", "kind")
  )`,
  // Emails that are neither due nor sent may be in the job queue, which looks up here whether they are sent.
  `INSERT INTO "payment_emails"
   SELECT "account_id", "id", 'request', CASE "status" WHEN 'pending' THEN "mail_due_at" END, "request_mailed_at"
   FROM "payment_requests" WHERE "status" = 'pending' OR "request_mailed_at" IS NOT NULL`,
  `INSERT INTO "payment_emails"
   SELECT "account_id", "id", 'receipt', "mail_due_at", "receipt_mailed_at"
   FROM "payment_requests" WHERE "status" = 'succeeded'`,
  `CREATE INDEX "payment_emails_due" ON "payment_emails" ("due_at") WHERE due_at IS NOT NULL`,
  `ALTER TABLE "payment_requests" ADD "processing_since" timestamptz(3)`,
  `UPDATE "payment_requests" SET "processing_since" = "updated_at"
   WHERE "status" = 'pending' AND "checkout"->>'state' = 'processing'`,
  `DROP INDEX "payment_requests_checkout"`,
  `DROP INDEX "payment_requests_mail_due"`,
  `ALTER TABLE "payment_requests"
    DROP "checkout", DROP "checkout_due_at",
    DROP "mail_due_at", DROP "request_mailed_at", DROP "receipt_mailed_at"`,
];

const REVERSE = [
  `ALTER TABLE "payment_requests"
    ADD "checkout" jsonb, ADD "checkout_due_at" timestamptz(3),
    ADD "mail_due_at" timestamptz(3), ADD "request_mailed_at" timestamptz(3), ADD "receipt_mailed_at" timestamptz(3)`,
  `UPDATE "payment_requests" p SET
     "checkout_due_at" = c."due_at",
     "checkout" = jsonb_build_object(
       'attempt', c."attempt", 'id', c."processor_reference", 'title', c."title", 'expiresAt', c."expires_at",
       'state', CASE c."status" WHEN 'ended' THEN 'over' ELSE c."status" END)
   FROM "hosted_checkouts" c WHERE c."account_id" = p."account_id" AND c."payment_request_id" = p."id"`,
  `UPDATE "payment_requests" p SET "mail_due_at" = e."due_at", "request_mailed_at" = e."sent_at"
   FROM "payment_emails" e
   WHERE e."account_id" = p."account_id" AND e."payment_request_id" = p."id" AND e."kind" = 'request'`,
  `UPDATE "payment_requests" p SET "mail_due_at" = e."due_at", "receipt_mailed_at" = e."sent_at"
   FROM "payment_emails" e
   WHERE e."account_id" = p."account_id" AND e."payment_request_id" = p."id" AND e."kind" = 'receipt'`,
  `CREATE INDEX "payment_requests_checkout" ON "payment_requests" ("checkout_due_at")
    WHERE checkout_due_at IS NOT NULL`,
  `CREATE INDEX "payment_requests_mail_due" ON "payment_requests" ("mail_due_at", "account_id")
    WHERE mail_due_at IS NOT NULL`,
  `ALTER TABLE "payment_requests" DROP "processing_since"`,
  `DROP TABLE "payment_emails"`,
  `DROP TABLE "hosted_checkouts"`,
];
