import { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The changes of resources as events, and those that are still to be delivered. Each resource counts its events; an
 * account also has the last id that it issued for one. The previous release records none and leaves these columns as
 * they are.
 */
export class Events1795400800000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    for (const statement of STATEMENTS) await queryRunner.query(statement);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const statement of REVERSE) await queryRunner.query(statement);
  }
}

const SOURCES = [
  'users',
  'accounts',
  'transactions',
  'unapplied_payments',
  'payment_requests',
  'subscriptions',
];

const STATEMENTS = [
  `CREATE TABLE "events" (
    "account_id" text NOT NULL,
    "id" text NOT NULL,
    "type" text NOT NULL,
    "object_id" text NOT NULL,
    "sequence" integer NOT NULL,
    "object" json NOT NULL,
    "created_at" timestamptz(3) NOT NULL,
    CONSTRAINT "PK_events" PRIMARY KEY ("account_id", "id")
  )`,
  // NULLS FIRST keeps the planner from reading an index of all accounts for the list of one.
  `CREATE INDEX "events_newest" ON "events" ("id" NULLS FIRST)`,
  `CREATE INDEX "events_account_type" ON "events" ("account_id", "type", "id")`,
  `CREATE INDEX "events_type" ON "events" ("type" NULLS FIRST, "id")`,
  `CREATE INDEX "events_object" ON "events" ("object_id", "id")`,
  `CREATE TABLE "event_outbox" (
    "account_id" text NOT NULL,
    "event_id" text NOT NULL,
    CONSTRAINT "PK_event_outbox" PRIMARY KEY ("account_id", "event_id")
  )`,
  `CREATE INDEX "event_outbox_oldest" ON "event_outbox" ("event_id")`,
  ...SOURCES.map((table) => `ALTER TABLE "${table}" ADD "event_count" integer NOT NULL DEFAULT 0`),
  `ALTER TABLE "accounts" ADD "last_event_at" timestamptz(3), ADD "last_event_number" integer NOT NULL DEFAULT 0,
    ADD "delivers_events" boolean NOT NULL DEFAULT false`,
];

const REVERSE = [
  `ALTER TABLE "accounts" DROP "last_event_at", DROP "last_event_number", DROP "delivers_events"`,
  ...SOURCES.map((table) => `ALTER TABLE "${table}" DROP "event_count"`),
  'DROP TABLE "event_outbox"',
  'DROP TABLE "events"',
];
