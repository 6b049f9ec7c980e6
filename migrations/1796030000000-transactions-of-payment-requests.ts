import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** The payments of payment requests. Other transactions are not in the index, so they do not pay for it. */
export class TransactionsOfPaymentRequests1796030000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(
      queryRunner,
      'transactions',
      NAME,
      '("payment_request_id", "id") WHERE payment_request_id IS NOT NULL',
    );
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'transactions', NAME);
  }
}

const NAME = 'transactions_payment_request';
