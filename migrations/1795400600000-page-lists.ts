import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';
import { stopCounting } from '../src/platform/database/lists/list-counts';
import { countedAccounts, countedUsers, startCounting } from './support/list-counts';

/**
 * Counts of users and accounts by day, and an index for each combination of filters of their lists. Triggers log what is
 * to be counted, so the previous release counts too.
 */
export class PageLists1795400600000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of CREATED) await createIndex(queryRunner, table, name, definition);
    for (const [table, name] of DROPPED) await dropIndex(queryRunner, table, name);
    for (const sql of TABLES) await queryRunner.query(sql);
    const counts = (await isDistributed(queryRunner)) ? stopCounting : startCounting;
    for (const sql of [...counts(countedAccounts), ...startCounting(countedUsers)])
      await queryRunner.query(sql);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of DROPPED) await createIndex(queryRunner, table, name, definition);
    for (const [table, name] of CREATED) await dropIndex(queryRunner, table, name);
    for (const { view } of [countedAccounts, countedUsers]) await queryRunner.query(`DROP VIEW ${view}`);
    await queryRunner.query('DROP FUNCTION log_list_count_change CASCADE'); // with its triggers
    await queryRunner.query('DROP TABLE "list_counts", "list_count_changes"');
  }
}

/** Whether Citus distributes the accounts. */
async function isDistributed(queryRunner: QueryRunner): Promise<boolean> {
  const [{ placements }] = (await queryRunner.query(
    `SELECT to_regclass('pg_dist_partition') AS placements`,
  )) as [{ placements: string | null }];
  if (placements === null) return false;
  const sql = `SELECT FROM pg_dist_partition WHERE logicalrelid = to_regclass('accounts') AND partmethod = 'h'`;
  return ((await queryRunner.query(sql)) as object[]).length > 0;
}

const TABLES = [
  `CREATE TABLE IF NOT EXISTS "list_counts" (
     "list" text NOT NULL,
     "day" date NOT NULL,
     "status" text NOT NULL,
     "type" text NOT NULL,
     "count" bigint NOT NULL,
     PRIMARY KEY ("list", "day", "status", "type")
   )`,
  `CREATE TABLE IF NOT EXISTS "list_count_changes" (
     "id" bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     "list" text NOT NULL,
     "day" date NOT NULL,
     "status" text NOT NULL,
     "type" text NOT NULL,
     "change" smallint NOT NULL
   )`,
  `CREATE OR REPLACE FUNCTION log_list_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.status, coalesce(to_jsonb(OLD) ->> 'type', ''), -1);
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.status, coalesce(to_jsonb(NEW) ->> 'type', ''), 1);
     END IF;
     RETURN NULL;
   END $$`,
];

type Index = readonly [table: string, name: string, definition: string];

const CREATED: readonly Index[] = [
  ['accounts', 'accounts_status', '("status", "created_at", "id")'],
  ['accounts', 'accounts_type', '("type", "created_at", "id")'],
  ['accounts', 'accounts_status_type', '("status", "type", "created_at", "id")'],
  ['users', 'users_status', '("status", "created_at", "id")'],
  ['users', 'users_account_newest', '("account_id", "created_at", "id")'],
  ['users', 'users_account_status', '("account_id", "status", "created_at", "id")'],
  ['sessions', 'sessions_account_unended', '("account_id", "id") WHERE ended_at IS NULL'],
];

/** Replaced by one above. */
const DROPPED: readonly Index[] = [
  ['users', 'users_account', '("account_id")'],
  ['sessions', 'sessions_account', '("account_id")'],
];
