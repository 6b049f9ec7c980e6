import { DataSource, EntitySchema } from 'typeorm';
import { Pool } from 'pg';
import { FieldsOf } from '../../src/kernel/entity';
import { AccountServers } from '../../src/platform/database/citus/account-servers';
import { dataSourceOptions, requirePool } from '../../src/platform/database/engine/data-source';
import { Database } from '../../src/platform/database/database';
import { IdempotencyStore } from '../../src/platform/database/engine/idempotency-store';
import { PostgresDatabase } from '../../src/platform/database/engine/postgres-database';
import { schema } from './core';
import { TestClock } from './clock';
import { createDatabase, dropDatabase } from './databases';

export class Jar {
  readonly id: number;
  readonly beans: number;
  readonly lid: string | null;

  private constructor(fields: FieldsOf<Jar>) {
    Object.assign(this, fields);
  }

  static of(id: number, beans: number): Jar {
    return new Jar({ id, beans, lid: null });
  }
}

export const jarSchema = new EntitySchema<Jar>({
  name: 'Jar',
  target: Jar,
  tableName: 'jars',
  columns: {
    id: { type: 'integer', primary: true },
    beans: { type: 'integer' },
    lid: { type: 'text', nullable: true },
  },
});

export interface TestDatabase {
  readonly database: Database;
  readonly clock: TestClock;
  readonly pool: Pool;
  /** Returns a Database on the same data with these secrets. */
  withSecrets(...secrets: string[]): Database;
  /** Returns a Database on the same data whose accounts are spread over servers. */
  over(servers: AccountServers): Database;
  /** Whether no connection is checked out, the server runs nothing, and no connection is inside a transaction. */
  isIdle(): Promise<boolean>;
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
  const entities = [...schema.entities, jarSchema];
  const options = dataSourceOptions(url, poolSize, { ...schema, entities });
  const dataSource = await new DataSource(options).initialize();
  const pool = requirePool(dataSource);
  const clock = new TestClock();
  const withSecrets = (...secrets: string[]): Database =>
    new PostgresDatabase(dataSource, clock, new IdempotencyStore(secrets));
  const over = (servers: AccountServers): Database =>
    new PostgresDatabase(
      dataSource,
      clock,
      new IdempotencyStore(['a test secret']),
      true,
      undefined,
      servers,
    );
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
    over,
    isIdle: async () => {
      const { rowCount } = await pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle'`,
      );
      return rowCount === 0 && pool.idleCount === pool.totalCount;
    },
    stop: async () => {
      await dataSource.destroy();
      await remove();
    },
  };
}
