import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * One index for each filter of the audit log, in the order of the ids, instead of one for each combination of filters in
 * the order of the chain. Lists of the previous release, which still work, read more rows without them.
 */
export class AuditLogIndexes1796024100000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of CREATED) await createIndex(queryRunner, TABLE, name, definition);
    for (const [name] of DROPPED) await dropIndex(queryRunner, TABLE, name);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    for (const [name, definition] of DROPPED) await createIndex(queryRunner, TABLE, name, definition);
    for (const [name] of CREATED) await dropIndex(queryRunner, TABLE, name);
  }
}

type Index = readonly [name: string, definition: string];

const TABLE = 'audit_log';

const CREATED: readonly Index[] = [
  ['audit_log_by_object', '("object_id", "id") WHERE object_id IS NOT NULL'],
  ['audit_log_by_account', '("account_id", "id") WHERE account_id IS NOT NULL'],
  ['audit_log_by_actor', '("actor_id", "id") WHERE actor_id IS NOT NULL'],
  ['audit_log_by_outcome', `("outcome", "id") WHERE outcome <> 'succeeded'`],
  ['audit_log_by_action', '("action", "id")'],
];

const ACTOR = 'WHERE actor_id IS NOT NULL';
const OBJECT = 'WHERE object_id IS NOT NULL';
const BOTH = 'WHERE actor_id IS NOT NULL AND object_id IS NOT NULL';

/** As in the migrations that created them. */
const FILTERS: readonly (readonly [name: string, column: string, where: string])[] = [
  ['actor_id', '"actor_id"', ACTOR],
  ['action', '"action"', ''],
  ['object_id', '"object_id"', OBJECT],
  ['actor_id_action', '(ARRAY["actor_id", "action"])', ACTOR],
  ['actor_id_object_id', '(ARRAY["actor_id", "object_id"])', BOTH],
  ['action_object_id', '(ARRAY["action", "object_id"])', OBJECT],
  ['actor_id_action_object_id', '(ARRAY["actor_id", "action", "object_id"])', BOTH],
];

const DROPPED: readonly Index[] = [
  ['audit_log_time', '("created_at", "sequence")'],
  ['audit_log_account', '("account_id", "sequence")'],
  ['audit_log_account_outcome', '("account_id", "outcome", "sequence")'],
  ['audit_log_outcome', '("outcome" NULLS FIRST, "sequence")'],
  ...FILTERS.flatMap(([name, column, where]): Index[] => [
    [`audit_log_account_${name}_outcome`, `("account_id", ${column}, "outcome", "sequence") ${where}`],
    [`audit_log_${name}_outcome`, `(${column} NULLS FIRST, "outcome", "sequence") ${where}`],
  ]),
];
