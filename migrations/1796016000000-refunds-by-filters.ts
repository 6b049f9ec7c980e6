import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * Lists of the refunds of one payment, with each combination of filters. NULLS FIRST keeps the planner from reading an
 * index of all accounts for the list of one.
 */
export class RefundsByFilters1796016000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of CREATED) await createIndex(queryRunner, TABLE, name, definition);
    await dropIndex(queryRunner, TABLE, DROPPED);
    await queryRunner.query('ANALYZE "transactions"'); // An expression has no statistics before.
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, TABLE, DROPPED, `("source_transaction_id", "id") ${SOURCE}`);
    for (const [name] of CREATED) await dropIndex(queryRunner, TABLE, name);
  }
}

const TABLE = 'transactions';
const DROPPED = 'transactions_source';

const SOURCE = 'WHERE source_transaction_id IS NOT NULL';
const BOTH = 'WHERE reference IS NOT NULL AND source_transaction_id IS NOT NULL';
const REFERENCE_AND_SOURCE = '(ARRAY["reference", "source_transaction_id"])';

const CREATED: readonly (readonly [name: string, definition: string])[] = [
  [
    'transactions_account_source_status_type',
    `("account_id", "source_transaction_id", "status", "type", "id") ${SOURCE}`,
  ],
  [
    'transactions_source_status_type',
    `("source_transaction_id" NULLS FIRST, "status", "type", "id") ${SOURCE}`,
  ],
  [
    'transactions_account_reference_source_status_type',
    `("account_id", ${REFERENCE_AND_SOURCE}, "status", "type", "id") ${BOTH}`,
  ],
  [
    'transactions_reference_source_status_type',
    `(${REFERENCE_AND_SOURCE} NULLS FIRST, "status", "type", "id") ${BOTH}`,
  ],
];
