import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { ConfigError } from '../../config/settings';
import { PLANNER_SETTINGS, SESSION_TIMEOUTS_MS } from '../engine/data-source';
import { type CountedList, stopCounting } from '../lists/list-counts';
import { underMigrationLock } from '../migrations/migrate';
import type { RunSql, TablePlacement } from './placement';
import { hasCitus, readPlacements, ROOT_TABLE, TWO_PHASE_TABLE, TWO_PHASE_TRIGGER } from './placement';

export interface DistributeOptions {
  /** Only prints the plan. */
  readonly dryRun: boolean;
  /**
   * The number of shards of a table, and so the greatest number of workers. Lists across accounts read each of them.
   * By default four for each worker.
   */
  readonly shards: number | undefined;
  /** The lists whose rows triggers count, which a distributed table cannot have. */
  readonly countedLists: readonly CountedList[];
  readonly print: (line: string) => void;
}

const MB = 1024 * 1024;
const IN_USE = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'countinghouse'`;
const END_OF_SESSIONS_MS = 3_000;
const POLL_MS = 100;

/**
 * Places the tables of a database with Citus. Each table is placed in one transaction, so that the command can be
 * repeated after an interruption.
 * @returns the tables that are still not placed, which are all of the plan if `dryRun`
 * @throws ConfigError when the database cannot be distributed, or is in use
 */
export async function distribute(url: string, options: DistributeOptions): Promise<readonly string[]> {
  const client = new Client({ connectionString: url, application_name: 'countinghouse citus:distribute' });
  client.on('error', () => undefined); // the query in progress reports the failure
  await client.connect();
  const run: RunSql = async <Row extends object>(sql: string, params: readonly unknown[]) =>
    (await client.query<Row>(sql, [...params])).rows;
  try {
    await assertCitus(run);
    const tables = await readPlacements(run);
    if (tables.length === 0) options.print('The database has no tables yet. The service creates them.');
    const plan = tables.filter(({ isPlaced }) => !isPlaced);
    for (const placement of plan) options.print(describe(placement));
    await assertUniqueWithin(run, plan);
    if (!options.dryRun) {
      await assertUnused(run);
      await underMigrationLock(url, () => place(run, plan, options));
    }
    return (await readPlacements(run)).filter(({ isPlaced }) => !isPlaced).map(({ table }) => table);
  } finally {
    await client.end();
  }
}

function describe({ table, column, bytes }: TablePlacement): string {
  const where =
    column === null ? 'stays on the coordinator, with two-phase commit' : `is distributed by ${column}`;
  return `${table} (${Math.ceil(bytes / MB)} MB) ${where}`;
}

/** @throws ConfigError */
async function assertCitus(run: RunSql): Promise<void> {
  if (!(await hasCitus(run)))
    throw new ConfigError('DATABASE_URL: the database has no extension citus: CREATE EXTENSION citus');
  if ((await run('SELECT FROM citus_get_active_worker_nodes()', [])).length === 0)
    throw new ConfigError('DATABASE_URL: the coordinator has no worker: SELECT citus_add_node(host, port)');
  const without = await run(
    `SELECT FROM run_command_on_all_nodes('SHOW max_prepared_transactions') WHERE NOT success OR result = '0'`,
    [],
  );
  if (without.length > 0)
    throw new ConfigError(
      'DATABASE_URL: set max_prepared_transactions above 0 on every node, for two-phase commit',
    );
}

/** @throws ConfigError for unique indexes that Citus could not enforce, since they span accounts */
async function assertUniqueWithin(run: RunSql, plan: readonly TablePlacement[]): Promise<void> {
  const indexes: string[] = [];
  for (const { table, column } of plan) {
    if (column === null) continue;
    const found = await run<{ name: string }>(
      `SELECT indexrelid::regclass::text AS name FROM pg_index
       WHERE indrelid = $1::regclass AND (indisunique OR indisexclusion) AND NOT EXISTS (
         SELECT FROM pg_attribute WHERE attrelid = indrelid AND attname = $2 AND attnum = ANY (indkey))`,
      [table, column],
    );
    indexes.push(...found.map(({ name }) => name));
  }
  if (indexes.length > 0)
    throw new ConfigError(
      `Unique indexes must contain the column of the distribution: ${indexes.join(', ')}`,
    );
}

/** Rows that a running service writes meanwhile could commit on one node only. @throws ConfigError */
async function assertUnused(run: RunSql): Promise<void> {
  const isUsed = async (): Promise<boolean> => (await run(IN_USE, [])).length > 0;
  // A server needs a moment to end the sessions of connections that are closed.
  for (let waited = 0; waited < END_OF_SESSIONS_MS && (await isUsed()); waited += POLL_MS)
    await delay(POLL_MS);
  if (await isUsed())
    throw new ConfigError(
      'DATABASE_URL: the service uses the database. Stop all replicas and workers first.',
    );
}

async function place(
  run: RunSql,
  plan: readonly TablePlacement[],
  options: DistributeOptions,
): Promise<void> {
  await setDefaults(run);
  const twoPhase = await prepareTwoPhase(run);
  for (const [index, { table, column }] of plan.entries()) {
    const started = performance.now();
    const rows = await transaction(run, async () =>
      column === null ? twoPhase(table) : await move(run, table, column, options),
    );
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    options.print(`${index + 1} of ${plan.length}: ${table}, ${rows} in ${seconds} s`);
  }
}

/**
 * Sets what holds for all sessions of the database. Citus repeats it on the workers, where its own sessions do not get the
 * settings of the service's.
 */
async function setDefaults(run: RunSql): Promise<void> {
  const defaults = {
    ...PLANNER_SETTINGS,
    lock_timeout: SESSION_TIMEOUTS_MS.lock_timeout,
    // Reads across accounts take a moment on each shard. More connections to a worker cost more than they save.
    'citus.max_adaptive_executor_pool_size': 1,
    'citus.enable_unsafe_triggers': 'on', // a migration may add a trigger to a distributed table
  };
  for (const [name, value] of Object.entries(defaults)) {
    const alter = `ALTER DATABASE %I SET ${name} = ${value}`;
    await run(`DO $$ BEGIN EXECUTE format('${alter}', current_database()); END $$`, []);
  }
}

/**
 * Citus commits in two phases when a transaction writes to a table that it manages on the coordinator. It cannot manage
 * all tables, since it does not take every statement on a managed one. So a trigger on each of the others writes to
 * one that has no rows.
 * @returns adds the trigger to a table
 */
async function prepareTwoPhase(run: RunSql): Promise<(table: string) => Promise<string>> {
  const [schema] = await run<{ name: string }>('SELECT quote_ident(current_schema()) AS name', []);
  const marker = `${schema!.name}.${TWO_PHASE_TABLE}`;
  const callee = `${schema!.name}.${TWO_PHASE_TRIGGER}`;
  await transaction(run, async () => {
    await run(`CREATE TABLE IF NOT EXISTS ${marker} (never boolean)`, []);
    await run(
      `SELECT citus_add_local_table_to_metadata($1::regclass) WHERE NOT EXISTS (
         SELECT FROM pg_dist_partition WHERE logicalrelid = $1::regclass)`,
      [marker],
    );
    await run(
      `CREATE OR REPLACE FUNCTION ${callee}() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN DELETE FROM ${marker}; RETURN NULL; END $$`,
      [],
    );
  });
  return async (table) => {
    await run(
      `CREATE OR REPLACE TRIGGER ${TWO_PHASE_TRIGGER} AFTER INSERT OR UPDATE OR DELETE ON ${table}
       FOR EACH STATEMENT EXECUTE FUNCTION ${callee}()`,
      [],
    );
    await run(`ALTER TABLE ${table} ENABLE TRIGGER ${TWO_PHASE_TRIGGER}`, []);
    return 'takes part in two-phase commit';
  };
}

/**
 * Moves the rows of a table to the workers. Its triggers, the journal's guards among them, would reject the removal of
 * the rows that are left behind, so they are disabled. Nobody sees that: the transaction holds the table's lock.
 */
async function move(
  run: RunSql,
  table: string,
  column: string,
  { shards, countedLists }: DistributeOptions,
): Promise<string> {
  await run('SET LOCAL citus.enable_unsafe_triggers = on', []);
  await run(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`, []);
  const counted = countedLists.find((list) => list.table === table);
  if (counted) for (const sql of stopCounting(counted)) await run(sql, []);
  const before = await countRows(run, table);
  await run(`ALTER TABLE ${table} DISABLE TRIGGER USER`, []);
  if (table === ROOT_TABLE)
    await run(
      `SELECT create_distributed_table($1::regclass, $2, colocate_with => 'none',
         shard_count => coalesce($3::int, (SELECT 4 * count(*)::int FROM citus_get_active_worker_nodes())))`,
      [table, column, shards ?? null],
    );
  else
    await run(`SELECT create_distributed_table($1::regclass, $2, colocate_with => $3)`, [
      table,
      column,
      ROOT_TABLE,
    ]);
  await run('SELECT truncate_local_data_after_distributing_table($1::regclass)', [table]);
  // Without names: Citus does not pass on to the shards what names a trigger that is also called at a TRUNCATE.
  await run(`ALTER TABLE ${table} ENABLE TRIGGER USER`, []);
  const after = await countRows(run, table);
  if (after !== before) throw new Error(`${table} had ${before} rows, and ${after} after the move.`);
  return `${after} rows`;
}

async function countRows(run: RunSql, table: string): Promise<string> {
  const [row] = await run<{ count: string }>(`SELECT count(*) FROM ${table}`, []);
  return row!.count;
}

async function transaction<T>(run: RunSql, work: () => Promise<T>): Promise<T> {
  await run('BEGIN', []);
  try {
    const result = await work();
    await run('COMMIT', []);
    return result;
  } catch (error) {
    await run('ROLLBACK', []).catch(() => undefined);
    throw error;
  }
}
