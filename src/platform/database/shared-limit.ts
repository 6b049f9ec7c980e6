import { createHash } from 'node:crypto';
import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { SECOND_MS } from '../../kernel/clock';

/** A limit per key and time window. The counts are in the database, so all replicas share them. */
export class SharedLimit {
  private readonly limiter: RateLimiterPostgres;

  /**
   * @param name identifies the limit in the table of all counts, so it must not change
   * @param points what a key may use in one window, which starts with its first use
   */
  constructor(dataSource: DataSource, name: string, points: number, windowSeconds: number) {
    this.limiter = new RateLimiterPostgres({
      storeClient: dataSource,
      storeType: 'typeorm',
      tableName: 'shared_limits',
      tableCreated: true,
      keyPrefix: name,
      points,
      duration: windowSeconds,
      clearExpiredByTimeout: true,
    });
  }

  /** Counts one use of the key. @returns null, or the seconds until the window ends when the limit is exceeded */
  async use(key: string): Promise<number | null> {
    const { consumedPoints, msBeforeNext }: RateLimiterRes = await this.limiter.penalty(hashed(key));
    if (consumedPoints <= this.limiter.points) return null;
    return Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
  }

  /** Takes back one use of the key. */
  async giveBack(key: string): Promise<void> {
    await this.limiter.reward(hashed(key));
  }
}

/** Bounds the length of the keys and keeps emails and addresses out of the table. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}
