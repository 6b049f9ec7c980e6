import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';
import { rebuildCounts, countedUsers, LOG_CHANGES, sqlLogChanges } from './support/list-counts';

/**
 * Lists of users by role, with their counts, of accounts by name, and of transactions and payment requests by amount. The
 * previous release counts by role too, because triggers count, and its reads add up all roles.
 */
export class ListFilters1796002000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of CREATED) await createIndex(queryRunner, table, name, definition);
    await queryRunner.query('ANALYZE "accounts"'); // An expression has no statistics before.
    for (const sql of [LOG_CHANGES, ...sqlLogChanges(countedUsers)]) await queryRunner.query(sql);
    await queryRunner.startTransaction();
    // Readers see the counts of before until the end; who adds changes to them waits.
    await queryRunner.query('LOCK TABLE "list_counts" IN EXCLUSIVE MODE');
    for (const sql of rebuildCounts(countedUsers)) await queryRunner.query(sql);
    await queryRunner.commitTransaction();
  }

  /** The counts by role stay: whoever does not ask for roles adds them up. */
  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name] of CREATED) await dropIndex(queryRunner, table, name);
  }
}

const CREATED: readonly (readonly [table: string, name: string, definition: string])[] = [
  ['users', 'users_role', '("role", "created_at", "id")'],
  ['users', 'users_role_status', '("role", "status", "created_at", "id")'],
  ['accounts', 'accounts_name', '((lower("name") COLLATE "C"))'],
  ['transactions', 'transactions_account_amount', '("account_id", "amount", "id")'],
  ['transactions', 'transactions_amount', '("amount" NULLS FIRST, "id")'],
  ['payment_requests', 'payment_requests_account_amount', '("account_id", "amount", "id")'],
  ['payment_requests', 'payment_requests_amount', '("amount" NULLS FIRST, "id")'],
];
