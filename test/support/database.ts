import { DataSource } from 'typeorm';
import { Pool } from 'pg';
import { dataSourceOptions, poolOf } from '../../src/platform/database/data-source';
import { Database } from '../../src/platform/database/database';
import { IdempotencyStore } from '../../src/platform/database/idempotency-store';
import { PostgresDatabase } from '../../src/platform/database/postgres-database';
import { schema } from './core';
import { TestClock } from './clock';
import { createDatabase, dropDatabase } from './databases';

export interface TestDatabase {
  readonly database: Database;
  readonly clock: TestClock;
  readonly pool: Pool;
  /** Returns a Database on the same data with these secrets. */
  withSecrets(...secrets: string[]): Database;
  stop(): Promise<void>;
}

/** Creates a Database without the service, on a new database with one more table, `jars`. */
export async function startTestDatabase(poolSize = 10): Promise<TestDatabase> {
  const { name, url } = await createDatabase();
  return openTestDatabase(url, poolSize, () => dropDatabase(name));
}

/** The same on a migrated database that is there. @param remove runs after the connections are closed */
export async function openTestDatabase(
  url: string,
  poolSize: number,
  remove: () => Promise<void>,
): Promise<TestDatabase> {
  const dataSource = await new DataSource(dataSourceOptions(url, poolSize, schema)).initialize();
  const pool = poolOf(dataSource);
  const clock = new TestClock();
  const withSecrets = (...secrets: string[]): Database =>
    new PostgresDatabase(pool, clock, new IdempotencyStore(secrets));
  await pool.query(`CREATE TABLE jars (
    id integer CONSTRAINT jars_id PRIMARY KEY,
    beans integer NOT NULL CONSTRAINT jars_beans CHECK (beans >= 0),
    lid text CONSTRAINT jars_lid UNIQUE
  )`);
  return {
    database: withSecrets('a test secret that is only used in tests'),
    clock,
    pool,
    withSecrets,
    stop: async () => {
      await dataSource.destroy();
      await remove();
    },
  };
}
