import type { Pool, QueryResultRow } from 'pg';
import { MINUTE_MS } from '../../../kernel/clock';
import { PipelinedReads } from '../engine/pipelined-reads';
import type { Statement } from '../tx';
import type { CheckedRow, ReadShards } from './checked-reads';
import { rowsIfPlaced, withPlacement } from './checked-reads';
import type { RunSql } from './placement';

/** What a worker has of a table. */
interface Shards {
  /** The names of the tables on the worker. */
  readonly tables: readonly string[];
  /** Which shards they are. */
  readonly placed: string;
}

interface Worker {
  readonly reads: PipelinedReads;
  readonly shards: ReadonlyMap<string, Shards>;
}

interface ShardsRow extends Shards {
  readonly host: string;
  readonly port: number;
  readonly table: string;
}

const SHARDS = `
  SELECT nodename AS host, nodeport AS port, logicalrelid::text AS "table",
    array_agg(shard_name(logicalrelid, shardid) ORDER BY shardid) AS tables,
    string_agg(shardid::text, ',' ORDER BY shardid) AS placed
  FROM pg_dist_partition JOIN pg_dist_shard USING (logicalrelid) JOIN pg_dist_placement USING (shardid)
    JOIN pg_dist_node USING (groupid)
  WHERE partmethod = 'h' AND noderole = 'primary' GROUP BY nodename, nodeport, logicalrelid`;

/** The same, as a worker knows it when a statement begins. A move changes it everywhere in one transaction. */
const placedHere = (table: string): string => `
  SELECT string_agg(shardid::text, ',' ORDER BY shardid) AS placed
  FROM pg_dist_shard JOIN pg_dist_placement USING (shardid)
  WHERE logicalrelid = '${table}'::regclass AND groupid = (SELECT groupid FROM pg_dist_local_group)`;

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
   * @returns the rows of all workers; null when they cannot be read here
   */
  async read<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
  ): Promise<Row[] | null> {
    if (performance.now() < this.pausedUntil) return null;
    try {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const rows = await this.readOnce<Row>(table, statementOf);
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
  ): ReadShards<Row> {
    this.workers ??= this.load();
    const reads = (await this.workers).flatMap(({ reads, shards }) => {
      const found = shards.get(table);
      return found === undefined ? [] : [readShards<Row>(reads, table, found, statementOf(found.tables))];
    });
    const rows = await Promise.all(reads);
    return rows.length === 0 || rows.includes(null) ? null : rows.flatMap((ofWorker) => ofWorker!);
  }

  private async load(): Promise<readonly Worker[]> {
    const workers = new Map<Pool, Worker & { readonly shards: Map<string, Shards> }>();
    for (const { host, port, table, ...shards } of await this.run<ShardsRow>(SHARDS, [])) {
      const pool = this.connect(host, port);
      const worker = workers.get(pool) ?? { reads: new PipelinedReads(pool), shards: new Map() };
      worker.shards.set(table, shards);
      workers.set(pool, worker);
    }
    return [...workers.values()];
  }
}

async function readShards<Row extends QueryResultRow>(
  reads: PipelinedReads,
  table: string,
  { placed }: Shards,
  { sql, params }: Statement,
): ReadShards<Row> {
  const checked = { sql: withPlacement(sql, placedHere(table)), params };
  return rowsIfPlaced(reads.read<Row & CheckedRow>(checked, null), placed);
}
