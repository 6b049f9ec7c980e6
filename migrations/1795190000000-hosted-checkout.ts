import { MigrationInterface, QueryRunner } from 'typeorm';

/** Paying at a provider, refunds that are sent there, and money that came too late. */
export class HostedCheckout1795190000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const STATEMENTS = [
  `ALTER TABLE "payment_requests" ADD "checkout" jsonb, ADD "checkout_due_at" timestamptz(3)`,
  `CREATE INDEX "payment_requests_checkout" ON "payment_requests" ("checkout_due_at")
    WHERE checkout_due_at IS NOT NULL`,
  `ALTER TABLE "transactions"
    ADD "processor_reference" text,
    ADD "send_at" timestamptz(3),
    ADD "sent_at" timestamptz(3)`,
  `CREATE INDEX "transactions_to_send" ON "transactions" ("send_at") WHERE send_at IS NOT NULL`,
  `CREATE TABLE "late_payments" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "payment_id" text NOT NULL,
    "amount" bigint NOT NULL,
    "currency" text NOT NULL,
    "processor_reference" text,
    "reason" text NOT NULL,
    "status" text NOT NULL,
    "failure" text,
    "due_at" timestamptz(3),
    "attempts" integer NOT NULL,
    "round" integer NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    "returned_at" timestamptz(3),
    CONSTRAINT "CHK_103bf0073adf2a10a64a2a7e60" CHECK (status IN ('received', 'returned', 'stuck')),
    CONSTRAINT "CHK_e508bae22f897d8cba0038950e" CHECK (amount BETWEEN 1 AND 9007199254740991),
    CONSTRAINT "PK_0d64d9159cd995d57b1051b5f41" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "late_payments_id" ON "late_payments" ("id")`,
  `CREATE UNIQUE INDEX "late_payments_reference" ON "late_payments" ("account_id", "processor_reference")
    WHERE processor_reference IS NOT NULL`,
  `CREATE INDEX "late_payments_due" ON "late_payments" ("due_at") WHERE due_at IS NOT NULL`,
  `CREATE TABLE "processor_events" (
    "id" text PRIMARY KEY,
    "received_at" timestamptz(3) NOT NULL
  )`,
  `CREATE INDEX "processor_events_age" ON "processor_events" ("received_at")`,
];

const REVERSE = [
  `DROP TABLE "processor_events"`,
  `DROP TABLE "late_payments"`,
  `DROP INDEX "transactions_to_send"`,
  `ALTER TABLE "transactions" DROP "processor_reference", DROP "send_at", DROP "sent_at"`,
  `DROP INDEX "payment_requests_checkout"`,
  `ALTER TABLE "payment_requests" DROP "checkout", DROP "checkout_due_at"`,
];
