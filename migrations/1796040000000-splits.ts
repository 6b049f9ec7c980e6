import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** Parts of payments for other accounts. What the previous release creates has none. */
export class Splits1796040000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, column, type] of COLUMNS)
      await queryRunner.query(`ALTER TABLE "${table}" ADD COLUMN IF NOT EXISTS "${column}" ${type}`);
    const definition = '("source_transaction_id", "id") WHERE source_transaction_id IS NOT NULL';
    await createIndex(queryRunner, 'transfers', INDEX, definition);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'transfers', INDEX);
    for (const [table, column] of COLUMNS)
      await queryRunner.query(`ALTER TABLE "${table}" DROP COLUMN IF EXISTS "${column}"`);
  }
}

const INDEX = 'transfers_source';
const COLUMNS = [
  ['transfers', 'source_transaction_id', 'text'],
  ['payment_requests', 'splits', 'jsonb'],
  ['subscriptions', 'splits', 'jsonb'],
] as const;
