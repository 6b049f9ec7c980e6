import type { Pool, QueryResultRow } from 'pg';
import { MINUTE_MS } from '../../../kernel/clock';
import { PipelinedReads } from '../engine/pipelined-reads';
import type { Statement } from '../tx';
import { checkedRead, type CheckedRow, rowsIfHere } from './checked-reads';
import type { RunSql } from './placement';

/** What a worker has of a table. */
interface Shards {
  /** The names of the tables on the worker. */
  readonly tables: readonly string[];
  /** The numbers of the shards. */
  readonly ids: readonly string[];
}

interface Worker {
  readonly server: number;
  readonly reads: PipelinedReads;
  readonly shards: ReadonlyMap<string, Shards>;
}

interface ShardsRow extends Shards {
  readonly server: number;
  readonly host: string;
  readonly port: number;
  readonly table: string;
}

const SHARDS = `
  SELECT groupid AS server, nodename AS host, nodeport AS port, logicalrelid::text AS "table",
    array_agg(shard_name(logicalrelid, shardid)) AS tables, array_agg(shardid::text) AS ids
  FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid) JOIN pg_dist_placement USING (shardid)
    JOIN pg_dist_node USING (groupid)
  WHERE partmethod = 'h' AND noderole = 'primary' GROUP BY groupid, nodename, nodeport, logicalrelid`;

/** Shards move seldom, and several of them one after another. */
const MAX_ATTEMPTS = 3;

/** How long the coordinator is asked after a worker could not be. */
const PAUSE_MS = MINUTE_MS;

/**
 * Reads across accounts, with one statement for each worker. Through the coordinator there is one for each shard, which the
 * worker plans every time: that costs six times as much.
 */
export class WorkerReads {
  private workers: Promise<readonly Worker[]> | null = null;
  private pausedUntil = 0;

  /** @param connect returns the pool of connections to a server, the same one each time */
  constructor(
    private readonly run: RunSql,
    private readonly connect: (host: string, port: number) => Pool,
  ) {}

  /**
   * @param statementOf a SELECT over several tables, which together have the rows of a worker
   * @param server the number of the one to read from; null for all
   * @returns the rows; null when they cannot be read here
   */
  async read<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    server: number | null,
  ): Promise<Row[] | null> {
    if (performance.now() < this.pausedUntil) return null;
    try {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const rows = await this.readOnce<Row>(table, statementOf, server);
        if (rows !== null) return rows;
        this.workers = null;
      }
    } catch {
      this.workers = null;
    }
    // The coordinator reports what is wrong, if it is more than the connection to a worker.
    this.pausedUntil = performance.now() + PAUSE_MS;
    return null;
  }

  private async readOnce<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    from: number | null,
  ): Promise<Row[] | null> {
    this.workers ??= this.load();
    const reads = (await this.workers).flatMap(({ server, reads, shards }) => {
      const found = from === null || from === server ? shards.get(table) : undefined;
      return found === undefined ? [] : [readShards<Row>(reads, found, statementOf(found.tables))];
    });
    const rows = await Promise.all(reads);
    return rows.length === 0 || rows.includes(null) ? null : rows.flatMap((ofWorker) => ofWorker!);
  }

  private async load(): Promise<readonly Worker[]> {
    const workers = new Map<Pool, Worker & { readonly shards: Map<string, Shards> }>();
    for (const { server, host, port, table, ...shards } of await this.run<ShardsRow>(SHARDS, [])) {
      const pool = this.connect(host, port);
      const worker = workers.get(pool) ?? { server, reads: new PipelinedReads(pool), shards: new Map() };
      worker.shards.set(table, shards);
      workers.set(pool, worker);
    }
    return [...workers.values()];
  }
}

function readShards<Row extends QueryResultRow>(
  reads: PipelinedReads,
  { ids }: Shards,
  { sql, params }: Statement,
): Promise<Row[] | null> {
  const checked = { sql: checkedRead(sql, ids), params };
  return rowsIfHere(reads.read<Row & CheckedRow>(checked, null), ids.length);
}
