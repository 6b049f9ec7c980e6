import DataLoader from 'dataloader';
import { Pool, QueryResult } from 'pg';
import { ConcurrencyLimit } from './concurrency-limit';
import { pipeline } from './connection';
import { prepared } from './preparing-client';
import { Statement } from './tx';

/** The reads that one connection runs one after another. The last one waits for all of them. */
const MAX_PIPELINE = 8;

/** The part of the pool in use at a time. While it is, the next reads gather. It is more than the share of one holder. */
const PART_OF_POOL = 1 / 2;

/**
 * Sends the reads of the same moment over one connection, in one packet: writing to a socket costs more time than a short
 * read. Each read is a statement of its own, and fails alone.
 */
export class PipelinedReads {
  private readonly limit: ConcurrencyLimit;
  private readonly loader = new DataLoader((reads: readonly Statement[]) => this.run(reads), {
    cache: false,
    maxBatchSize: MAX_PIPELINE,
    batchScheduleFn: (send) => this.limit.schedule(send),
  });

  constructor(private readonly pool: Pool) {
    this.limit = new ConcurrencyLimit(Math.ceil(pool.options.max * PART_OF_POOL));
  }

  read(read: Statement): Promise<QueryResult> {
    return this.loader.load(read);
  }

  private async run(reads: readonly Statement[]): Promise<(QueryResult | Error)[]> {
    try {
      const client = await this.pool.connect();
      const results = await Promise.allSettled(
        pipeline(client, () => reads.map(({ sql, params }) => client.query(prepared(sql, params)))),
      );
      // The pool removes a connection that has failed.
      client.release();
      return results.map((result) =>
        result.status === 'fulfilled' ? result.value : (result.reason as Error),
      );
    } finally {
      this.limit.release();
    }
  }
}
