import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';
import { SECOND_MS } from '../../../kernel/clock';
import type { Database } from '../database';
import type { Pools } from '../engine/data-source';
import { hashOfText } from './hash-of-text';
import { assertPlaced, isDistributed, LOCAL_RELATIONS, ROOT_TABLE, type RunSql } from './placement';
import { type WorkerAddress, WorkerConnections } from './worker-connections';

/** Tells which server has the rows of an account. What writes on one server only commits in one phase. */
export abstract class AccountServers {
  /** @returns a number of the server, the same for all accounts where the database is one server */
  abstract serverOf(accountId: string): number;
  /** How many servers there are. */
  abstract readonly count: number;
  /** Whether accounts are spread over shards, so that a statement which locks or changes their rows names one of them. */
  abstract readonly isDistributed: boolean;
  /**
   * Connects straight to a server, whose other connections are not a part of the pool.
   * @returns null where the way to it is a connection of the pool
   */
  abstract connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null;
  /** Whether a statement can run on a connection straight to a server: it names only what is distributed. */
  abstract runsOnWorkers(sql: string): boolean;
  /**
   * The time of the oldest commit in two phases that a server has not completed. Nobody sees yet what it has written there.
   * @returns milliseconds since 1970; Infinity if there is none
   * @throws when a server does not respond
   */
  abstract oldestUnfinishedCommit(): Promise<number>;
}

/** A range of hashes whose rows are on one worker. */
interface Shard {
  /** The lowest hash. */
  readonly from: number;
  readonly server: number;
}

const SHARDS = `
  SELECT shardminvalue::int AS "from", groupid AS server
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
  WHERE logicalrelid = '${ROOT_TABLE}'::regclass ORDER BY 1`;

/** Those that know all shards, and so can run each statement about accounts. */
const WORKERS = `
  SELECT groupid AS server, nodename AS host, nodeport AS port FROM pg_dist_node
  WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND hasmetadata AND metadatasynced ORDER BY 1`;

const PARTITIONED = `SELECT FROM pg_class WHERE oid = '${ROOT_TABLE}'::regclass AND relkind = 'p'`;

/** The error of a worker that does not respond is no number, which makes the statement fail. */
const OLDEST_UNFINISHED = `
  SELECT min(result::float8) AS ms FROM run_command_on_workers($$
    SELECT coalesce(extract(epoch FROM min(prepared)) * 1000, 'infinity') FROM pg_prepared_xacts
    WHERE database = current_database()$$)`;

/** How long a replica may use the placement of before. A worker passes on what concerns shards that have left it. */
const REFRESHED_EVERY_MS = 5 * SECOND_MS;

/** The workers of Citus. */
export class CitusWorkers extends AccountServers {
  /** In ascending order; empty if the database is not distributed. */
  private shards: readonly Shard[] = [];
  private run: RunSql | null = null;
  private readonly connections: WorkerConnections | null;
  private readonly stopping = new AbortController();
  /** Matches the names of what only the coordinator has. */
  private localNames = /^/;
  private readonly runnable = new Map<string, boolean>();
  count = 1;
  isDistributed = false;

  /** @param pools those of the coordinator; null to connect to no worker */
  constructor(private readonly pools: Pools | null = null) {
    super();
    this.connections = pools && new WorkerConnections(pools);
  }

  /** @throws ConfigError when the database is distributed only in part */
  async start(database: Database): Promise<void> {
    const run: RunSql = (sql, params) => database.query(sql, params);
    this.isDistributed = (await run(PARTITIONED, [])).length > 0;
    if (!(await isDistributed(run))) return;
    this.isDistributed = true;
    await assertPlaced(run);
    await this.readShards(run);
    const names = (await run<{ name: string }>(LOCAL_RELATIONS, [])).map(({ name }) => name);
    this.localNames = new RegExp(`\\b(${names.join('|')})\\b`);
    this.run = run;
    if (this.pools === null) return;
    await this.updateWorkers(this.pools);
    void this.refresh(this.pools);
  }

  async stop(): Promise<void> {
    this.stopping.abort();
    await this.connections?.close();
  }

  async oldestUnfinishedCommit(): Promise<number> {
    if (this.run === null) return Infinity;
    const [oldest] = await this.run<{ ms: number }>(OLDEST_UNFINISHED, []);
    return oldest!.ms;
  }

  serverOf(accountId: string): number {
    if (this.shards.length === 0) return 0;
    const hash = hashOfText(accountId);
    return this.shards.findLast(({ from }) => from <= hash)!.server;
  }

  connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null {
    return this.connections?.connect(server, isBackground) ?? null;
  }

  /** Texts come from the code and never from a request, so the map stays small. */
  runsOnWorkers(sql: string): boolean {
    let runs = this.runnable.get(sql);
    if (runs === undefined) this.runnable.set(sql, (runs = !this.localNames.test(sql)));
    return runs;
  }

  private async refresh(pools: Pools): Promise<void> {
    const { signal } = this.stopping;
    const run: RunSql = async <Row extends object>(sql: string, params: readonly unknown[]) =>
      (await pools.signals.query<Row>(sql, [...params])).rows;
    for (;;) {
      await delay(REFRESHED_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      // What fails here is repeated, and the placement of before stays in use.
      await this.readShards(run)
        .then(() => this.updateWorkers(pools))
        .catch(() => undefined);
    }
  }

  private async readShards(run: RunSql): Promise<void> {
    this.shards = await run<Shard>(SHARDS, []);
    this.count = new Set(this.shards.map(({ server }) => server)).size;
  }

  /** Checks of workers may take long, so they are not awaited, and do not use the connection for signals. */
  private async updateWorkers({ signals, background }: Pools): Promise<void> {
    const { rows } = await signals.query<WorkerAddress>(WORKERS);
    if (this.stopping.signal.aborted) return;
    void this.connections?.update(
      rows,
      async <Row extends object>(sql: string, params: readonly unknown[]) =>
        (await background.query<Row>(sql, [...params])).rows,
    );
  }
}
