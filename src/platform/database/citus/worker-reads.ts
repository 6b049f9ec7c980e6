import type { QueryResultRow } from 'pg';
import type { PipelinedReads } from '../engine/pipelined-reads';
import type { Statement } from '../tx';
import { isServerUnavailable } from '../failures';
import { busy } from '../waiting';
import { checkedRead, type CheckedRow, rowsIfHere } from './checked-reads';
import type { CitusShard } from './shard';
import type { Way } from './worker-connections';

/** The shards by the numbers of the servers that have them, and the way to these. */
export interface PlacedShards {
  shardsByServer(): ReadonlyMap<number, readonly CitusShard[]>;
  /** Reads the placement again. */
  reread(): Promise<void>;
  wayTo(server: number): Way;
  /** @returns null unless the way to the server is straight */
  readsOn(server: number): PipelinedReads | null;
  /** The server has not responded. */
  doubt(server: number): void;
}

type StatementOf = (tables: readonly string[]) => Statement;

/** Shards move seldom, and several of them one after another. */
const MAX_ATTEMPTS = 3;

/**
 * Reads across accounts, with one statement for each worker. Through the coordinator there is one for each shard, which the
 * worker plans every time: that costs six times as much.
 */
export class WorkerReads {
  constructor(private readonly placed: PlacedShards) {}

  /** See `AccountServers.readByServer`. */
  async read<Row extends QueryResultRow>(
    table: string,
    statementOf: StatementOf,
    server: number | null,
  ): Promise<Row[] | null> {
    const servers = server === null ? [...this.placed.shardsByServer().keys()] : [server];
    if (servers.some((one) => this.placed.wayTo(one) === 'none')) throw busy();
    return this.readFrom<Row>(servers, table, statementOf);
  }

  /** See `AccountServers.sweep`. */
  async sweep<Row extends QueryResultRow>(table: string, statementOf: StatementOf): Promise<Row[] | null> {
    const responds = (server: number): boolean => !['unknown', 'none'].includes(this.placed.wayTo(server));
    const servers = [...this.placed.shardsByServer().keys()].filter(responds);
    const found = await Promise.all(
      servers.map(async (server) => (await this.readFrom<Row>([server], table, statementOf)) ?? server),
    );
    const unread = found.filter((rows) => typeof rows === 'number');
    return servers.length === 0 || unread.some(responds) ? null : found.filter(Array.isArray).flat();
  }

  private async readFrom<Row extends QueryResultRow>(
    servers: readonly number[],
    table: string,
    statementOf: StatementOf,
  ): Promise<Row[] | null> {
    try {
      for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
        const reads = servers
          .map((server) => this.readOn<Row>(server, table, statementOf))
          .filter((read) => read !== null);
        if (reads.length < servers.length) return null;
        const rows = await Promise.all(reads);
        if (!rows.includes(null)) return rows.flatMap((ofServer) => ofServer!);
        await this.placed.reread();
      }
    } catch {
      // The coordinator reports what is wrong, if it is more than the connection to a worker.
    }
    return null;
  }

  /** @returns the rows, null where a shard has moved; null where the way is the coordinator */
  private readOn<Row extends QueryResultRow>(
    server: number,
    table: string,
    statementOf: StatementOf,
  ): Promise<Row[] | null> | null {
    const reads = this.placed.readsOn(server);
    const shards = this.placed.shardsByServer().get(server) ?? [];
    const tables = shards.map(({ row }) => row.tables[table]).filter((name) => name !== undefined);
    if (reads === null || tables.length === 0) return null;
    const { sql, params } = statementOf(tables);
    const ids = shards.map(({ id }) => id);
    const read = reads.read<Row & CheckedRow>({ sql: checkedRead(sql, ids), params }, null);
    return rowsIfHere(read, ids.length).catch((error: unknown) => {
      if (isServerUnavailable(error)) this.placed.doubt(server);
      throw error;
    });
  }
}
