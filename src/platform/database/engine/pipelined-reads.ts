import DataLoader from 'dataloader';
import type { Pool, QueryResult } from 'pg';
import type { AccountServers } from '../citus/account-servers';
import { ConcurrencyLimit } from '../batched-reads';
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

/**
 * Sends the reads of the same moment over one connection, in one packet: writing to a socket costs more time than a short
 * read. Each read is its own statement, and fails alone. Those of one packet are of one server, so that no account
 * waits for the servers of others.
 */
export class PipelinedReads {
  private readonly loaders = new Map<number, DataLoader<Statement, QueryResult>>();

  constructor(
    private readonly pool: Pool,
    private readonly servers: Pick<AccountServers, 'count' | 'serverOf' | 'connect' | 'runsOnWorkers'> = {
      count: 1,
      serverOf: () => 0,
      connect: () => null,
      runsOnWorkers: () => false,
    },
    private readonly isBackground = false,
  ) {}

  /** @param accountId whose rows are read; null for a read across accounts */
  read(read: Statement, accountId: string | null): Promise<QueryResult> {
    const server = this.serverOf(read, accountId);
    const loader = this.loaders.get(server) ?? this.loaderOf(server);
    this.loaders.set(server, loader);
    return loader.load(read);
  }

  private serverOf({ sql }: Statement, accountId: string | null): number {
    if (this.servers.count === 1) return 0;
    if (accountId === null || !this.servers.runsOnWorkers(sql)) return ALL_SERVERS;
    return this.servers.serverOf(accountId);
  }

  private loaderOf(server: number): DataLoader<Statement, QueryResult> {
    const max = (this.pool.options.max * PART_OF_POOL) / this.servers.count;
    const limit = new ConcurrencyLimit(Math.ceil(max));
    return new DataLoader((reads: readonly Statement[]) => this.run(reads, server, limit), {
      cache: false,
      maxBatchSize: MAX_PIPELINE,
      batchScheduleFn: (send) => limit.schedule(send),
    });
  }

  private async run(
    reads: readonly Statement[],
    server: number,
    limit: ConcurrencyLimit,
  ): Promise<(QueryResult | Error)[]> {
    try {
      const client = (await this.servers.connect(server, this.isBackground)) ?? (await this.pool.connect());
      const results = await Promise.allSettled(
        pipeline(client, () => reads.map(({ sql, params }) => client.query(prepared(sql, params)))),
      );
      // The pool removes a connection that has failed.
      client.release();
      return results.map((result) =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error),
      );
    } finally {
      limit.release();
    }
  }
}
