import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** The reversals of a transfer. Other transfers are not in the index, so they do not pay for it. */
export class ReversalsOfTransfers1796039000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    await createIndex(queryRunner, 'transfers', NAME, '("reversal_of", "id") WHERE reversal_of IS NOT NULL');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await dropIndex(queryRunner, 'transfers', NAME);
  }
}

const NAME = 'transfers_reversal_of';
