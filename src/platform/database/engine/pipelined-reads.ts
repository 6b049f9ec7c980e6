import type { Pool, PoolClient, QueryResultRow } from 'pg';
import type { AccountServers } from '../citus/account-servers';
import { allTables, type Shard } from '../citus/shard';
import { inBatches } from '../batched-reads';
import { isAfterFailure } from '../failures';
import { pipeline, prepared } from './connection';
import type { Statement } from '../tx';

/** The reads that one connection runs one after another. The last one waits for all of them. */
const MAX_PIPELINE = 8;

/**
 * The part of the pool in use at a time, in equal parts for each server. While it is, the next reads gather. With one
 * server it is more than the share of one holder.
 */
const PART_OF_POOL = 1 / 2;

/** In place of the number of a server: reads across accounts ask all of them, through the connections of the pool. */
const ALL_SERVERS = -1;

const ALL_TABLES = allTables();

const ONE_SERVER = {
  count: 1,
  serverOf: () => 0,
  connect: () => null,
  shardOf: () => ALL_TABLES,
  noticeMove: () => undefined,
};

interface AccountRead extends Statement {
  readonly accountId: string | null;
}

/**
 * Sends the reads of the same moment over one connection, in one packet: writing to a socket costs more time than a short
 * read. Each read is its own statement, and fails alone. Those of one packet are of one server, so that no account
 * waits for the servers of others.
 */
export class PipelinedReads {
  private readonly load = inBatches({
    maxBatch: MAX_PIPELINE,
    maxRunning: () => Math.ceil((this.pool.options.max * PART_OF_POOL) / this.servers.count),
    serverOf: (read: AccountRead) => this.serverOf(read),
    readAll: (reads, server) => this.run(reads, server),
  });

  constructor(
    private readonly pool: Pool,
    private readonly servers: Pick<
      AccountServers,
      'count' | 'serverOf' | 'connect' | 'shardOf' | 'noticeMove'
    > = ONE_SERVER,
    private readonly isBackground = false,
  ) {}

  /** @param accountId whose rows are read; null for a read across accounts */
  read<Row extends QueryResultRow>({ sql, params }: Statement, accountId: string | null): Promise<Row[]> {
    return this.load({ sql, params, accountId }) as Promise<Row[]>;
  }

  private serverOf({ sql, params, accountId }: AccountRead): number {
    if (this.servers.count === 1) return 0;
    if (accountId === null || !this.servers.shardOf(accountId).runs(sql, params)) return ALL_SERVERS;
    return this.servers.serverOf(accountId);
  }

  private async run(reads: readonly AccountRead[], server: number): Promise<(QueryResultRow[] | Error)[]> {
    const direct = await this.servers.connect(server, this.isBackground);
    const results =
      direct === null
        ? await this.sendThroughPool(reads)
        : await sendAll(direct, reads, ({ accountId }) => this.servers.shardOf(accountId!));
    const moved = reads.filter((_, index) => results[index] === null);
    if (moved.length === 0) return results as (QueryResultRow[] | Error)[];
    this.servers.noticeMove();
    const repeated = await this.sendThroughPool(moved);
    return results.map((result) => result ?? repeated.shift()!);
  }

  private async sendThroughPool(reads: readonly AccountRead[]): Promise<(QueryResultRow[] | Error)[]> {
    const results = await sendAll(await this.pool.connect(), reads, () => ALL_TABLES);
    return results as (QueryResultRow[] | Error)[];
  }
}

/** @returns null in place of the rows where a shard has moved */
async function sendAll(
  client: PoolClient,
  reads: readonly AccountRead[],
  shardOf: (read: AccountRead) => Shard,
): Promise<(QueryResultRow[] | Error | null)[]> {
  const send = (read: AccountRead): Promise<QueryResultRow[] | null> =>
    shardOf(read).read(
      read.sql,
      async (text) => (await client.query<QueryResultRow>(prepared(text, read.params))).rows,
    );
  const results = await Promise.allSettled(pipeline(client, () => reads.map(send)));
  // The pool removes a connection that has failed.
  client.release();
  const cause = (sql: string): PromiseSettledResult<unknown> | undefined =>
    results.find(
      (result, index) =>
        reads[index]!.sql === sql && result.status === 'rejected' && !isAfterFailure(result.reason),
    );
  return results.map((result, index) => {
    if (result.status === 'fulfilled') return result.value;
    const first = isAfterFailure(result.reason) ? cause(reads[index]!.sql) : undefined;
    return ((first as PromiseRejectedResult | undefined) ?? result).reason as Error;
  });
}
