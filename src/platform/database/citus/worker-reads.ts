import type { QueryResultRow } from 'pg';
import { MINUTE_MS } from '../../../kernel/clock';
import type { PipelinedReads } from '../engine/pipelined-reads';
import type { Statement } from '../tx';
import { checkedRead, type CheckedRow, rowsIfHere } from './checked-reads';
import type { CitusShard } from './shard';

/** The shards by the numbers of the servers that have them, and the way to these. */
export interface PlacedShards {
  shardsByServer(): ReadonlyMap<number, readonly CitusShard[]>;
  /** Reads the placement again. */
  reread(): Promise<void>;
  /** @returns null where the coordinator is the way to the server */
  readsOn(server: number): PipelinedReads | null;
}

/** Shards move seldom, and several of them one after another. */
const MAX_ATTEMPTS = 3;

/** How long the coordinator is asked after a worker could not be. */
const PAUSE_MS = MINUTE_MS;

/**
 * Reads across accounts, with one statement for each worker. Through the coordinator there is one for each shard, which the
 * worker plans every time: that costs six times as much.
 */
export class WorkerReads {
  private pausedUntil = 0;

  constructor(private readonly placed: PlacedShards) {}

  /** See `AccountServers`. */
  async read<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    server: number | null,
  ): Promise<Row[] | null> {
    if (performance.now() < this.pausedUntil) return null;
    try {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const reads = this.readAll<Row>(table, statementOf, server);
        if (reads === null) return null;
        const rows = await Promise.all(reads);
        if (!rows.includes(null)) return rows.flatMap((ofServer) => ofServer!);
        await this.placed.reread();
      }
    } catch {
      // The coordinator reports what is wrong, if it is more than the connection to a worker.
    }
    this.pausedUntil = performance.now() + PAUSE_MS;
    return null;
  }

  /** @returns the rows of each server, null where a shard has moved; null where the way to one is the coordinator */
  private readAll<Row extends QueryResultRow>(
    table: string,
    statementOf: (tables: readonly string[]) => Statement,
    from: number | null,
  ): Promise<Row[] | null>[] | null {
    const shardsByServer = this.placed.shardsByServer();
    const servers = [...shardsByServer.keys()].filter((server) => from === null || from === server);
    const ways = servers.map((server) => this.placed.readsOn(server)).filter((reads) => reads !== null);
    if (servers.length === 0 || ways.length < servers.length) return null;
    return ways.map((reads, index) => {
      const shards = shardsByServer.get(servers[index]!)!;
      const { sql, params } = statementOf(shards.map(({ row }) => row.tables[table]!));
      const ids = shards.map(({ id }) => id);
      return rowsIfHere(
        reads.read<Row & CheckedRow>({ sql: checkedRead(sql, ids), params }, null),
        ids.length,
      );
    });
  }
}
