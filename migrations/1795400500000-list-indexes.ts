import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * An index for each combination of filters of the lists, in one account and in all (docs/performance.md). NULLS FIRST
 * keeps the planner from reading an index of all accounts for the list of one.
 */
export class ListIndexes1795400500000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of CREATED) await createIndex(queryRunner, table, name, definition);
    for (const [table, name] of DROPPED) await dropIndex(queryRunner, table, name);
    // An expression has no statistics before.
    await queryRunner.query('ANALYZE "payment_requests"');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of DROPPED) await createIndex(queryRunner, table, name, definition);
    for (const [table, name] of CREATED) await dropIndex(queryRunner, table, name);
  }
}

type Index = readonly [table: string, name: string, definition: string];

const REFERENCE = 'WHERE reference IS NOT NULL';

/** The lists of payment requests and of subscriptions have the same filters. */
const ofCustomers = (table: string): Index[] => [
  [table, `${table}_account_status`, '("account_id", "status", "id")'],
  [table, `${table}_status`, '("status" NULLS FIRST, "id")'],
  [
    table,
    `${table}_account_customer_email_status`,
    '("account_id", lower("customer_email"), "status", "id")',
  ],
  [table, `${table}_customer_email_status`, '(lower("customer_email") NULLS FIRST, "status", "id")'],
  [table, `${table}_account_reference_status`, `("account_id", "reference", "status", "id") ${REFERENCE}`],
  [table, `${table}_reference_status`, `("reference" NULLS FIRST, "status", "id") ${REFERENCE}`],
  [
    table,
    `${table}_account_customer_email_reference_status`,
    `("account_id", (ARRAY[lower("customer_email"), "reference"]), "status", "id") ${REFERENCE}`,
  ],
  [
    table,
    `${table}_customer_email_reference_status`,
    `((ARRAY[lower("customer_email"), "reference"]) NULLS FIRST, "status", "id") ${REFERENCE}`,
  ],
];

const TABLES = ['transactions', 'payment_requests', 'subscriptions', 'unapplied_payments'];

const CREATED: readonly Index[] = [
  ...TABLES.map((table): Index => [table, `${table}_newest`, '("id" NULLS FIRST)']),
  ['transactions', 'transactions_account_status_type', '("account_id", "status", "type", "id")'],
  ['transactions', 'transactions_status_type', '("status" NULLS FIRST, "type", "id")'],
  [
    'transactions',
    'transactions_account_reference_status_type',
    `("account_id", "reference", "status", "type", "id") ${REFERENCE}`,
  ],
  [
    'transactions',
    'transactions_reference_status_type',
    `("reference" NULLS FIRST, "status", "type", "id") ${REFERENCE}`,
  ],
  ...ofCustomers('payment_requests'),
  ['payment_requests', 'payment_requests_id_suffix', '(right("id", 10))'],
  ...ofCustomers('subscriptions'),
  [
    'unapplied_payments',
    'unapplied_payments_account_status_reason',
    '("account_id", "status", "reason", "id")',
  ],
  ['unapplied_payments', 'unapplied_payments_status_reason', '("status" NULLS FIRST, "reason", "id")'],
];

/** Replaced by one above. */
const DROPPED: readonly Index[] = [
  ...TABLES.map((table): Index => [table, `${table}_id`, '("id")']),
  ['transactions', 'transactions_reference', `("account_id", "reference") ${REFERENCE}`],
];
