import { MigrationInterface, QueryRunner } from 'typeorm';

/** Subscriptions. The period that is due stands in the row, found by the sweep. */
export class Subscriptions1795170000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('DROP TABLE "subscriptions"');
  }
}

const STATEMENTS = [
  `CREATE TABLE "subscriptions" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "amount" bigint NOT NULL,
    "currency" text NOT NULL,
    "customer_email" text NOT NULL,
    "interval" text NOT NULL,
    "reference" text,
    "metadata" jsonb NOT NULL DEFAULT '{}',
    "status" text NOT NULL,
    "periods" integer NOT NULL,
    "next_payment_at" timestamptz(3),
    "created_at" timestamptz(3) NOT NULL,
    "updated_at" timestamptz(3) NOT NULL,
    CONSTRAINT "CHK_523fae1446a716aaa505c43d75" CHECK (status IN ('active', 'canceled')),
    CONSTRAINT "CHK_7ba1aa9867f5d0520e121b20af" CHECK ("interval" IN ('day', 'week', 'month', 'year')),
    CONSTRAINT "CHK_a68782b6a1e1d4dfd5dea2c79a" CHECK (amount BETWEEN 1 AND 9007199254740991),
    CONSTRAINT "CHK_f4bba89cc3291b52639c19ebde" CHECK ((status = 'active') = (next_payment_at IS NOT NULL)),
    CONSTRAINT "PK_00997fa0ab80a228b96b3185eb8" PRIMARY KEY ("account_id", "id")
  )`,
  `CREATE INDEX "subscriptions_id" ON "subscriptions" ("id")`,
  `CREATE INDEX "subscriptions_due" ON "subscriptions" ("next_payment_at", "account_id") WHERE status = 'active'`,
  `CREATE INDEX "subscriptions_active" ON "subscriptions" ("account_id") WHERE status = 'active'`,
];
