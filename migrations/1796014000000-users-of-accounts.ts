import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';
import {
  COUNT_USERS_OF_ACCOUNTS_ANEW,
  countedUsers,
  CREATE_ACCOUNT_USER_COUNTS,
  FORGET_USERS_OF_ACCOUNTS,
  LOG_CHANGES,
  sqlLogChanges,
} from './support/list-counts';

/**
 * Counts of the users of each account, and an index for each combination of filters of their lists. The previous release
 * counts them too, because triggers count, and adds up the counts of lists that it does not know.
 */
export class UsersOfAccounts1796014000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of CREATED) await createIndex(queryRunner, 'users', name, definition);
    for (const sql of [LOG_CHANGES, ...sqlLogChanges(countedUsers), CREATE_ACCOUNT_USER_COUNTS])
      await queryRunner.query(sql);
    await replaceCounts(queryRunner, COUNT_USERS_OF_ACCOUNTS_ANEW);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const previous = { ...countedUsers, changing: ['status', 'role'] };
    for (const sql of [LOG_CHANGES_BEFORE, ...sqlLogChanges(previous)]) await queryRunner.query(sql);
    await replaceCounts(queryRunner, FORGET_USERS_OF_ACCOUNTS);
    for (const [name] of CREATED) await dropIndex(queryRunner, 'users', name);
  }
}

/** Readers see the counts of before until the end; who adds changes to them waits. */
async function replaceCounts(queryRunner: QueryRunner, statements: readonly string[]): Promise<void> {
  await queryRunner.startTransaction();
  await queryRunner.query('LOCK TABLE "list_counts" IN EXCLUSIVE MODE');
  for (const sql of statements) await queryRunner.query(sql);
  await queryRunner.commitTransaction();
}

const CREATED: readonly (readonly [name: string, definition: string])[] = [
  ['users_account_role', '("account_id", "role", "created_at", "id")'],
  ['users_account_role_status', '("account_id", "role", "status", "created_at", "id")'],
];

const LOG_CHANGES_BEFORE = `
  CREATE OR REPLACE FUNCTION log_list_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.status,
               coalesce(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'role'), -1);
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.status,
               coalesce(to_jsonb(NEW) ->> 'type', to_jsonb(NEW) ->> 'role'), 1);
     END IF;
     RETURN NULL;
   END $$`;
