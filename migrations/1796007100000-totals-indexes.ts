import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * The journal by time: the index has one line for each range of pages, since entries are added in the order of time. And
 * the deliveries that failed, in all accounts.
 */
export class TotalsIndexes1796007100000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of CREATED) await createIndex(queryRunner, table, name, definition);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name] of CREATED) await dropIndex(queryRunner, table, name);
  }
}

const CREATED: readonly (readonly [table: string, name: string, definition: string])[] = [
  [
    'journal_entries',
    'journal_entries_posted',
    `USING brin ("posted_at") WITH (autosummarize = on) WHERE leg = 'customer'`,
  ],
  ['webhook_deliveries', 'webhook_deliveries_failed', `("id") WHERE status = 'failed'`],
];
