import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { PoolClient, QueryResultRow } from 'pg';
import { SECOND_MS } from '../../../kernel/clock';
import { hashInId } from '../../../kernel/ids';
import type { Database } from '../database';
import type { Pools } from '../engine/data-source';
import { AccountServers } from './account-servers';
import type { Send } from '../tx';
import { assertPlaced, isDistributed, LOCAL_RELATIONS, ROOT_TABLE, type RunSql } from './placement';
import {
  allTables,
  CitusShard,
  groupByServer,
  hashOfAccount,
  holdShards,
  type Shard,
  type ShardRow,
} from './shard';
import { type WorkerAddress, WorkerConnections } from './worker-connections';
import { WorkerReads } from './worker-reads';

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
  private shardsByServer: ReadonlyMap<number, readonly CitusShard[]> = new Map();
  private rereading: Promise<void> | null = null;
  private run: RunSql | null = null;
  private readonly connections: WorkerConnections | null;
  private readonly reads = new WorkerReads({
    shardsByServer: () => this.shardsByServer,
    reread: () => this.reread(),
    wayTo: (server) => this.connections?.wayTo(server) ?? 'coordinator',
    readsOn: (server) => this.connections?.readsOn(server) ?? null,
    doubt: (server) => this.connections?.doubt(server),
  });
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
    void this.refresh();
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

  serverOfId(id: string): number {
    return this.shards.length === 0 ? 0 : this.shardOfHash(hashInId(id))!.row.server;
  }

  shardOf(accountId: string): Shard {
    return this.findShard(accountId) ?? this.all;
  }

  connect(server: number, isBackground: boolean): Promise<PoolClient | null> | null {
    return this.connections?.connect(server, isBackground) ?? null;
  }

  readByServer<Row extends QueryResultRow>(
    ...read: Parameters<AccountServers['readByServer']>
  ): Promise<Row[] | null> {
    return this.reads.read<Row>(...read);
  }

  sweep<Row extends QueryResultRow>(...sweep: Parameters<AccountServers['sweep']>): Promise<Row[] | null> {
    return this.reads.sweep<Row>(...sweep);
  }

  async hold(send: Send, shards: readonly Shard[]): Promise<boolean> {
    const isHeld = await holdShards(send, shards);
    if (!isHeld) this.noticeMove();
    return isHeld;
  }

  noticeMove(): void {
    void this.reread();
  }

  private findShard(accountId: string): CitusShard | undefined {
    return this.shards.length === 0 ? undefined : this.shardOfHash(hashOfAccount(accountId));
  }

  private shardOfHash(hash: number): CitusShard | undefined {
    return this.shards.findLast(({ row: { from } }) => from <= hash);
  }

  private async refresh(): Promise<void> {
    const { signal } = this.stopping;
    for (;;) {
      await delay(REFRESHED_EVERY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      await this.reread();
    }
  }

  /** What fails here is repeated, and the placement of before stays in use. */
  private async reread(): Promise<void> {
    const { pools } = this;
    if (pools === null) return;
    const run: RunSql = async <Row extends object>(sql: string, params: readonly unknown[]) =>
      (await pools.signals.query<Row>(sql, [...params])).rows;
    this.rereading ??= this.readShards(run)
      .then(() => this.updateWorkers(pools))
      .catch(() => undefined)
      .finally(() => (this.rereading = null));
    await this.rereading;
  }

  private async readShards(run: RunSql): Promise<void> {
    const known = new Map(this.shards.map((shard) => [shard.id, shard]));
    this.shards = (await run<ShardRow>(SHARDS, [])).map((row) => {
      const shard = known.get(row.id);
      return isDeepStrictEqual(shard?.row, row) ? shard! : new CitusShard(row, this.localNames);
    });
    this.shardsByServer = groupByServer(this.shards);
    this.count = this.shardsByServer.size;
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
