import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient } from 'pg';
import { SECOND_MS } from '../../../kernel/clock';
import type { Database } from '../database';
import type { Pools } from '../engine/data-source';
import { hashOfText } from './hash-of-text';
import type { Send } from '../tx';
import { assertPlaced, isDistributed, LOCAL_RELATIONS, ROOT_TABLE, type RunSql } from './placement';
import { allTables, CitusShard, holdShards, type Shard, type ShardRow } from './shard';
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
  /** The tables with the rows of an account, as a connection straight to its server names them. */
  abstract shardOf(accountId: string): Shard;
  /**
   * Keeps shards from moving to other servers until a transaction ends.
   * @param send on a connection straight to a server
   * @returns whether they are there; if not, what was read there is old
   */
  abstract hold(send: Send, shards: readonly Shard[]): Promise<boolean>;
  /** A read has not found a shard where it was: the placement is read again. */
  abstract noticeMove(): void;
  /**
   * The time of the oldest commit in two phases that a server has not completed. Nobody sees yet what it has written there.
   * @returns milliseconds since 1970; Infinity if there is none
   * @throws when a server does not respond
   */
  abstract oldestUnfinishedCommit(): Promise<number>;
}

const SHARDS = `
  SELECT shardminvalue::int AS "from", shardmaxvalue::int AS "to", groupid AS server,
    (array_agg(shardid::text) FILTER (WHERE logicalrelid = '${ROOT_TABLE}'::regclass))[1] AS id,
    json_object_agg(logicalrelid::text, shard_name(logicalrelid, shardid)) AS tables
  FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid) JOIN pg_dist_placement USING (shardid)
  WHERE partmethod = 'h' GROUP BY 1, 2, 3 ORDER BY 1`;

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

/** How long a replica may use the placement of before, unless it finds that a shard has left a worker. */
const REFRESHED_EVERY_MS = 5 * SECOND_MS;

/** The workers of Citus. */
export class CitusWorkers extends AccountServers {
  private readonly all = allTables(() => this.isDistributed);
  /** In ascending order; empty if the database is not distributed. */
  private shards: readonly CitusShard[] = [];
  private rereading: Promise<void> | null = null;
  private run: RunSql | null = null;
  private readonly connections: WorkerConnections | null;
  private readonly stopping = new AbortController();
  /** Matches the names of what only the coordinator has. */
  private localNames = /^/;
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
    const names = (await run<{ name: string }>(LOCAL_RELATIONS, [])).map(({ name }) => name);
    this.localNames = new RegExp(`\\b(${names.join('|')})\\b`);
    await this.readShards(run);
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
    return this.findShard(accountId)?.row.server ?? 0;
  }

  shardOf(accountId: string): Shard {
    return this.findShard(accountId) ?? this.all;
  }

  connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null {
    return this.connections?.connect(server, isBackground) ?? null;
  }

  async hold(send: Send, shards: readonly Shard[]): Promise<boolean> {
    const isHeld = await holdShards(send, shards);
    if (!isHeld) this.noticeMove();
    return isHeld;
  }

  noticeMove(): void {
    if (this.pools !== null) void this.reread(this.pools);
  }

  private findShard(accountId: string): CitusShard | undefined {
    if (this.shards.length === 0) return undefined;
    const hash = hashOfText(accountId);
    return this.shards.findLast(({ row: { from } }) => from <= hash);
  }

  private async refresh(pools: Pools): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await delay(REFRESHED_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.reread(pools);
    }
  }

  /** What fails here is repeated, and the placement of before stays in use. */
  private reread(pools: Pools): Promise<void> {
    const run: RunSql = async <Row extends object>(sql: string, params: readonly unknown[]) =>
      (await pools.signals.query<Row>(sql, [...params])).rows;
    this.rereading ??= this.readShards(run)
      .then(() => this.updateWorkers(pools))
      .catch(() => undefined)
      .finally(() => (this.rereading = null));
    return this.rereading;
  }

  private async readShards(run: RunSql): Promise<void> {
    const known = new Map(this.shards.map((shard) => [shard.id, shard]));
    this.shards = (await run<ShardRow>(SHARDS, [])).map((row) => {
      const shard = known.get(row.id);
      return isDeepStrictEqual(shard?.row, row) ? shard! : new CitusShard(row, this.localNames);
    });
    this.count = new Set(this.shards.map(({ row: { server } }) => server)).size;
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
