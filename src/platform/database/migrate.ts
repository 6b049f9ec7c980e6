import { setTimeout as delay } from 'node:timers/promises';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { DatabaseSchema } from './data-source';

/** The advisory lock that replicas starting at once share; any number will do, as long as all use the same. */
const MIGRATION_LOCK = 4_662_611;
const POLL_MS = 100;
const GIVE_UP_AFTER_MS = 5 * 60_000;

/** Applies the migrations that the database does not have, while no other replica does. */
export function migrate(url: string, schema: DatabaseSchema): Promise<void> {
  return underMigrationLock(url, () => runMigrations(url, schema));
}

/**
 * Does what only one process may do to the schema at a time.
 *
 * The lock is polled: a session that blocks on it holds a snapshot, and `CREATE INDEX CONCURRENTLY` in the replica
 * that has the lock would wait for that for ever. It has a connection of its own, so that it goes when this process
 * does, and is a transaction's: a pooler that shares sessions would keep a session's lock behind.
 */
export async function underMigrationLock(url: string, work: () => Promise<void>): Promise<void> {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined); // shows in the query under way
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
    await work();
    await client.query('COMMIT');
  } finally {
    await client.end();
  }
}

/** On a connection without the service's time-outs: building an index may take long. */
async function runMigrations(url: string, schema: DatabaseSchema): Promise<void> {
  const dataSource = new DataSource({
    type: 'postgres',
    url,
    poolSize: 1,
    migrationsTransactionMode: 'each',
    ...schema,
  });
  await dataSource.initialize();
  try {
    await dataSource.runMigrations();
  } finally {
    await dataSource.destroy();
  }
}

async function tryLock(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS locked', [
    MIGRATION_LOCK,
  ]);
  return rows[0]!.locked;
}
