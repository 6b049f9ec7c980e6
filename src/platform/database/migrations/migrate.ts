import { setTimeout as delay } from 'node:timers/promises';
import { Client, escapeIdentifier } from 'pg';
import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { DatabaseSchema } from '../engine/data-source';
import { missingIndexes } from './defined-indexes';

/** The key of the advisory lock that serializes migrations: an arbitrary number that never changes. */
const MIGRATION_LOCK = 4_662_611;
const POLL_MS = 100;
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Applies the pending migrations, one replica at a time. @returns their names, in the order of their creation */
export function migrate(url: string, schema: DatabaseSchema): Promise<string[]> {
  return underMigrationLock(url, () =>
    withMigrations(url, schema, async (dataSource) => listNames(await dataSource.runMigrations())),
  );
}

/** Returns the names of the migrations that are not applied yet, without changing the database. */
export function pendingMigrations(url: string, schema: DatabaseSchema): Promise<string[]> {
  return withMigrations(url, schema, async (dataSource) =>
    listNames(await new MigrationExecutor(dataSource).getPendingMigrations()),
  );
}

/**
 * Runs `work` while no other process migrates the database.
 *
 * The lock is polled, because a session that blocks on it holds a snapshot, and `CREATE INDEX CONCURRENTLY` in the
 * replica with the lock would wait for that snapshot forever. The lock has its own connection, so it is released when
 * this process ends. It is a transaction-level lock, because a pooler that shares sessions would not release a
 * session-level lock.
 */
export async function underMigrationLock<T>(url: string, work: () => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // the query in progress reports the failure
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query('SET LOCAL idle_in_transaction_session_timeout = 0');
    const deadline = performance.now() + GIVE_UP_AFTER_MS;
    while (!(await tryLock(client))) {
      if (performance.now() > deadline)
        throw new Error('Another process has been migrating the database for five minutes.');
      await delay(POLL_MS);
    }
    const result = await work();
    await client.query('COMMIT');
    return result;
  } finally {
    await client.end();
  }
}

/** Returns the SQL that would make the tables of a migrated database match the entities; empty if nothing is missing. */
export function pendingSchemaChanges(url: string, schema: DatabaseSchema): Promise<string[]> {
  return withMigrations(url, schema, async (dataSource) => {
    const { driver } = dataSource;
    const indexes = await missingIndexes(dataSource, schema);
    const createQueryRunner = driver.createQueryRunner.bind(driver);
    driver.createQueryRunner = (mode) => inTurn(createQueryRunner(mode));
    const { upQueries } = await driver.createSchemaBuilder().log();
    return [...upQueries.map(({ query }) => query), ...indexes];
  });
}

/** TypeORM compares schemas with several queries at once on one connection, for which `pg` prints a warning. */
function inTurn(runner: QueryRunner): QueryRunner {
  const query = runner.query.bind(runner) as (...query: unknown[]) => Promise<unknown>;
  let last: Promise<unknown> = Promise.resolve();
  runner.query = ((...one: unknown[]) => {
    const next = (): Promise<unknown> => query(...one);
    return (last = last.then(next, next));
  }) as QueryRunner['query'];
  return runner;
}

/** Uses a connection without the service's timeouts, because building an index may take long. */
async function withMigrations<T>(
  url: string,
  schema: DatabaseSchema,
  work: (dataSource: DataSource) => Promise<T>,
): Promise<T> {
  const options = { type: 'postgres', url, poolSize: 1, migrationsTransactionMode: 'each' } as const;
  const dataSource = new DataSource({ ...options, ...schema });
  await dataSource.initialize();
  try {
    return await work(dataSource);
  } finally {
    await dataSource.destroy();
  }
}

function listNames(migrations: readonly { readonly name: string }[]): string[] {
  return migrations.map(({ name }) => name);
}

/**
 * As a simple query: the portal of one with parameters would stay open until the next, and with it a snapshot, for which
 * CREATE INDEX CONCURRENTLY would wait.
 */
async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>(
    `SELECT pg_try_advisory_xact_lock(${MIGRATION_LOCK}) AS locked`,
  );
  return rows[0]!.locked;
}

type Query = (sql: string, params: readonly unknown[]) => Promise<{ readonly name: string }[]>;

/** A mapped table that the database lacks. */
interface MissingTable {
  /** The name of the EntitySchema. */
  readonly entity: string;
  readonly table: string;
}

/** Returns the mapped tables that a database lacks. */
export async function missingTables(query: Query, { entities }: DatabaseSchema): Promise<MissingTable[]> {
  const mapped = entities.map(({ options: { name, tableName = name, schema } }) => ({
    entity: name,
    table: [schema, tableName]
      .filter((part) => part !== undefined)
      .map(escapeIdentifier)
      .join('.'),
  }));
  const sql = 'SELECT name FROM unnest($1::text[]) AS name WHERE to_regclass(name) IS NULL';
  const missing = (await query(sql, [mapped.map(({ table }) => table)])).map(({ name }) => name);
  return mapped.filter(({ table }) => missing.includes(table));
}

export function describeMissing({ entity, table }: MissingTable): string {
  return `The table ${table} of the entity ${entity} does not exist, and no migration is pending.`;
}

export const HOW_TO_CREATE =
  'Add the migration that creates it to the migrations of its module: "countinghouse migrations check" prints what is missing.';
