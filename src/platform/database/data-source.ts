import { Pool, PoolConfig } from 'pg';
import { DataSource, DataSourceOptions } from 'typeorm';
import { PreparingClient } from './preparing-client';

/** Bounds on what a statement may wait for or take, in milliseconds: a stuck one must not hold its connection. */
const SESSION_TIMEOUTS_MS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
};

/** How long a server may say nothing to what it was asked, in milliseconds: more than any of its own bounds. */
export const SILENCE_MS = 20_000;

/** How long a request waits for a connection before it is answered 503. */
const POOL_WAIT_MS = 5_000;

/** The tables and migrations of the modules, which stand above this folder. */
export type DatabaseSchema = Required<Pick<DataSourceOptions, 'entities' | 'migrations'>>;

/**
 * The service's connection pool. All modules share it, so that a transaction may span them.
 * @param poolSize connections at most
 */
export function dataSourceOptions(url: string, poolSize: number, schema: DatabaseSchema): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    ...schema,
    migrationsTransactionMode: 'each',
    poolSize,
    poolErrorHandler: () => undefined, // an idle connection that dies is replaced; the pool needs a listener
    connectTimeoutMS: POOL_WAIT_MS,
    applicationName: 'countinghouse',
    extra: {
      Client: PreparingClient,
      pipeline: true,
      keepAlive: true,
      ...SESSION_TIMEOUTS_MS,
    },
  };
}

/** A connection with the same bounds, for what keeps a pool of its own. */
export function connectionBounds(url: string): PoolConfig {
  return {
    connectionString: url,
    connectionTimeoutMillis: POOL_WAIT_MS,
    application_name: 'countinghouse',
    keepAlive: true,
    ...SESSION_TIMEOUTS_MS,
  };
}

/** The pool inside a data source, for transactions of our own (see Tx for why). */
export function poolOf(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}
