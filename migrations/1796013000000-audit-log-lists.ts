import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/**
 * An index for each combination of filters of the audit log, and by how much an entry was created before one ahead of it,
 * at most. The entries that the previous release adds meanwhile are measured with the next one that this release adds.
 */
export class AuditLogLists1796013000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    // The BRIN index has the name of the one that replaces it.
    const [time] = (await queryRunner.query(TIME_INDEX)) as { isBrin: boolean }[];
    if (time?.isBrin) await dropIndex(queryRunner, TABLE, TIME);
    await queryRunner.query(RENAME_CHECK);
    for (const [name, definition] of CREATED) await createIndex(queryRunner, TABLE, name, definition);
    for (const [name] of DROPPED) await dropIndex(queryRunner, TABLE, name);
    await queryRunner.query('ANALYZE "audit_log"'); // An expression has no statistics before.
    await queryRunner.query(
      `ALTER TABLE "audit_log_head" ADD IF NOT EXISTS "measured_sequence" bigint NOT NULL DEFAULT 0,
       ADD IF NOT EXISTS "latest_at" timestamptz(3), ADD IF NOT EXISTS "max_lag" interval NOT NULL DEFAULT '0'`,
    );
    await queryRunner.query(MEASURE);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      'ALTER TABLE "audit_log_head" DROP "measured_sequence", DROP "latest_at", DROP "max_lag"',
    );
    for (const [name] of CREATED) await dropIndex(queryRunner, TABLE, name);
    await queryRunner.query(
      'ALTER TABLE "audit_log" RENAME CONSTRAINT "audit_log_outcome_known" TO "audit_log_outcome"',
    );
    for (const [name, definition] of [...DROPPED, [TIME, 'USING brin ("created_at")'] as const])
      await createIndex(queryRunner, TABLE, name, definition);
  }
}

const TABLE = 'audit_log';
const TIME = 'audit_log_time';

const TIME_INDEX = `SELECT amname = 'brin' AS "isBrin" FROM pg_class JOIN pg_am ON pg_am.oid = relam
  WHERE pg_class.oid = to_regclass('${TIME}')`;

/** An index gets the name of the constraint. */
const RENAME_CHECK = `DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_constraint WHERE conrelid = 'audit_log'::regclass AND conname = 'audit_log_outcome') THEN
    ALTER TABLE "audit_log" RENAME CONSTRAINT "audit_log_outcome" TO "audit_log_outcome_known";
  END IF;
END $$`;

/** One statement, so that it holds for all entries up to one; nobody waits for it but who adds an entry. */
const MEASURE = `UPDATE "audit_log_head" SET "measured_sequence" = measured.sequence, "latest_at" = measured.latest_at,
    "max_lag" = measured.max_lag
  FROM (SELECT coalesce(max(sequence), 0) AS sequence, max(created_at) AS latest_at,
               coalesce(max(latest_at - created_at), '0') AS max_lag
        FROM (SELECT sequence, created_at, max(created_at) OVER (ORDER BY sequence) AS latest_at FROM audit_log
              WHERE isfinite(created_at)) AS in_order) AS measured`;

const ACTOR = 'WHERE actor_id IS NOT NULL';
const OBJECT = 'WHERE object_id IS NOT NULL';
const BOTH = 'WHERE actor_id IS NOT NULL AND object_id IS NOT NULL';

/** What precedes the outcome, by the name of the filters, with the rows that have a value. */
const FILTERS: readonly (readonly [name: string, column: string, where: string])[] = [
  ['actor_id', '"actor_id"', ACTOR],
  ['action', '"action"', ''],
  ['object_id', '"object_id"', OBJECT],
  ['actor_id_action', '(ARRAY["actor_id", "action"])', ACTOR],
  ['actor_id_object_id', '(ARRAY["actor_id", "object_id"])', BOTH],
  ['action_object_id', '(ARRAY["action", "object_id"])', OBJECT],
  ['actor_id_action_object_id', '(ARRAY["actor_id", "action", "object_id"])', BOTH],
];

type Index = readonly [name: string, definition: string];

/** NULLS FIRST keeps the planner from reading an index of all accounts for the list of one. */
const CREATED: readonly Index[] = [
  [TIME, '("created_at", "sequence")'],
  ['audit_log_account_outcome', '("account_id", "outcome", "sequence")'],
  ['audit_log_outcome', '("outcome" NULLS FIRST, "sequence")'],
  ...FILTERS.flatMap(([name, column, where]): Index[] => [
    [`audit_log_account_${name}_outcome`, `("account_id", ${column}, "outcome", "sequence") ${where}`],
    [`audit_log_${name}_outcome`, `(${column} NULLS FIRST, "outcome", "sequence") ${where}`],
  ]),
];

/** Replaced by one above. */
const DROPPED: readonly Index[] = [
  ['audit_log_actor', '("actor_id", "sequence")'],
  ['audit_log_action', '("action", "sequence")'],
  ['audit_log_object', '("object_id", "sequence")'],
];
