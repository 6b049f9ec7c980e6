import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** The refunds that name a payment. Other transactions are not in the index, so they do not pay for it. */
export class RefundsOfPayments1796008000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(
      queryRunner,
      'transactions',
      NAME,
      '("source_transaction_id", "id") WHERE source_transaction_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'transactions', NAME);
  }
}

const NAME = 'transactions_source';
