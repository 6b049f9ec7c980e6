import type { Type } from '@nestjs/common';
import { Client, Pool, type PoolConfig } from 'pg';
import { Gauge, type Registry } from 'prom-client';
import type { DataSource, DataSourceOptions, EntitySchema, MigrationInterface } from 'typeorm';
import { HOUR_MS } from '../../../kernel/clock';
import { PreparingClient, rejectReadOnly } from './connection';

/** The timeouts of every session, in milliseconds, so that a hanging statement does not keep its connection. */
export const SESSION_TIMEOUTS_MS = {
  statement_timeout: 15_000,
  lock_timeout: 10_000,
  idle_in_transaction_session_timeout: 20_000,
};

/**
 * Rows are in memory or on a solid-state disk, where their order does not matter. A higher cost would let the planner
 * prefer to read and sort all rows that match, instead of only the first ones in the order of an index. An incremental
 * sort would read an index with fewer columns, and thus rows that do not match.
 */
export const PLANNER_SETTINGS = { random_page_cost: 1, enable_incremental_sort: 'off' };

/** What the service sets at the start of every session. */
export const SESSION_SETTINGS = { ...SESSION_TIMEOUTS_MS, ...PLANNER_SETTINGS };

/** The same as parameters of a connection. */
export const SESSION_PARAMETERS = {
  options: Object.entries(PLANNER_SETTINGS)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' '),
  ...SESSION_TIMEOUTS_MS,
};

/** How long a server may take to respond, in milliseconds: longer than its own statement timeout. */
export const SILENCE_MS = 20_000;

/** The timeout of a statement of a snapshot, which may read a whole table before its first row. */
export const SNAPSHOT_STATEMENT_MS = HOUR_MS;

/** How long a request waits for a connection before it fails with 503. */
const POOL_WAIT_MS = 5_000;

/** The mapped tables and the migrations of a set of modules. */
export interface DatabaseSchema {
  readonly entities: EntitySchema[];
  readonly migrations: Type<MigrationInterface>[];
}

/**
 * The service's connection pool. All modules share it, so that a transaction may span them.
 * @param poolSize the maximum number of connections
 */
export function dataSourceOptions(url: string, poolSize: number, schema: DatabaseSchema): DataSourceOptions {
  return {
    type: 'postgres',
    url,
    ...schema,
    entitySkipConstructor: true, // constructors take complete fields
    migrationsTransactionMode: 'each',
    poolSize,
    poolErrorHandler: () => undefined, // an idle connection that dies is replaced; the pool needs a listener
    connectTimeoutMS: POOL_WAIT_MS,
    applicationName: 'countinghouse',
    extra: {
      Client: PreparingClient,
      onConnect: rejectReadOnly,
      pipeline: true,
      keepAlive: true,
      ...SESSION_PARAMETERS,
    },
  };
}

/** The pool of a data source, for transactions without TypeORM (see Tx). */
export function requirePool(dataSource: DataSource): Pool {
  return (dataSource.driver as unknown as { master: Pool }).master;
}

/** Background work has half as many connections as requests. */
function backgroundConnections(poolSize: number): number {
  return Math.ceil(poolSize / 2);
}

/** The largest number of connections of a replica with several processes, one of which does background work. */
export function maxConnections(poolSize: number, processes: number): number {
  return processes * (poolSize + 1) + backgroundConnections(poolSize);
}

/** The pools of connections to the database (of Citus, the coordinator), apart from each other so that none takes what another one needs. */
export class Pools {
  readonly requests: Pool;
  readonly background: Pool;
  /** One connection for short statements that wait for no rows: whether the server responds, what wakes tasks. */
  readonly signals: Pool;

  /** @param prepare is called with each pool, and with those to other servers */
  constructor(
    dataSource: DataSource,
    readonly prepare: (pool: Pool) => void = () => undefined,
  ) {
    this.requests = requirePool(dataSource);
    this.background = similarPool(this.requests, backgroundConnections(this.requests.options.max));
    this.signals = similarPool(this.requests, 1);
    for (const pool of [this.requests, this.background, this.signals]) prepare(pool);
  }

  /** Closes those that the data source does not know. */
  async end(): Promise<void> {
    await Promise.all([this.background.end(), this.signals.end()]);
  }
}

/** @param changes of the options */
export function similarPool({ options }: Pool, max: number, changes: PoolConfig = {}): Pool {
  // The driver hides the password from copies.
  const pool = new Pool({ ...options, password: options.password, max, ...changes });
  return pool.on('error', () => undefined); // see poolErrorHandler
}

/** The address of the service's database on a worker of Citus, with the same role and password. */
export function urlOfWorker(url: string, hostname: string, port: number): string {
  return Object.assign(new URL(url), { hostname, port: String(port) }).href;
}

/**
 * Statements name shards there, of which there are many, and are planned once for each: no plan depends on their values. What
 * names distributed tables would use up the memory there: Citus 13.2.2 keeps 64 KB of each execution of a generic plan.
 */
const WORKER_SETTINGS = '-c plan_cache_mode=force_generic_plan';

/** The options of connections to a worker of Citus with the same role, password, database and TLS. */
export function optionsFor(host: string, port: number, { options }: Pool): PoolConfig {
  const { user, password, database, ssl } = new Client({ ...options, password: options.password });
  const settings = `${options.options} ${WORKER_SETTINGS}`;
  return { connectionString: undefined, user, password, database, ssl, host, port, options: settings };
}

/** Measures the use of the connection pool, when the metrics are read. */
export function measurePool(pool: Pool, registry: Registry): void {
  const registers = [registry];
  new Gauge({
    name: 'countinghouse_database_connections',
    help: 'Connections of the pool by state: used or idle.',
    labelNames: ['state'],
    registers,
    collect() {
      this.set({ state: 'used' }, pool.totalCount - pool.idleCount);
      this.set({ state: 'idle' }, pool.idleCount);
    },
  });
  new Gauge({
    name: 'countinghouse_database_connections_max',
    help: 'The largest number of connections (DATABASE_POOL_SIZE).',
    registers,
    collect() {
      this.set(pool.options.max);
    },
  });
  new Gauge({
    name: 'countinghouse_database_connections_waiting',
    help: 'Statements and transactions that wait for a connection.',
    registers,
    collect() {
      this.set(pool.waitingCount);
    },
  });
}
