import { createHash } from 'node:crypto';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { DataSource } from 'typeorm';
import { SECOND_MS } from '../../kernel/clock';
import { queueByKey } from './waiting';

/** A limit per key and time window. The counts are in the database, so all replicas share them. */
export class SharedLimit {
  private readonly limiter: RateLimiterPostgres;
  /** Uses of one key wait for each other in the database anyway; here they do so without a connection. */
  private readonly turns = queueByKey(1);

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

  /** @returns null if the key may be used once more, or else the seconds until the window ends */
  async waitSeconds(key: string): Promise<number | null> {
    const count = await this.limiter.get(hashed(key));
    return count !== null && count.remainingPoints <= 0 ? secondsLeft(count) : null;
  }

  /**
   * Counts one use of the key.
   * @returns null, or the seconds until the window ends when the limit is exceeded
   * @throws DomainError `unavailable` when too many uses of the key wait
   */
  async use(key: string): Promise<number | null> {
    const count = await this.turns.run([key], () => this.limiter.penalty(hashed(key)));
    return count.consumedPoints > this.limiter.points ? secondsLeft(count) : null;
  }

  /** Takes back one use of the key. */
  async giveBack(key: string): Promise<void> {
    await this.limiter.reward(hashed(key));
  }

  /**
   * Counts one use of each key before `work`, so that what runs at the same time exceeds no limit together. Work that fails
   * or does not run is not counted; only if the process dies meanwhile, it stays counted.
   * @returns whether `work` ran, which it does not when a limit is exceeded
   * @throws what `work` throws
   */
  static async during(keys: readonly LimitedKey[], work: () => Promise<void>): Promise<boolean> {
    const counted: LimitedKey[] = [];
    let isDone = false;
    try {
      for (const [limit, key] of keys) {
        const waitSeconds = await limit.use(key);
        counted.push([limit, key]);
        if (waitSeconds !== null) return false;
      }
      await work();
      isDone = true;
      return true;
    } finally {
      if (!isDone) for (const [limit, key] of counted) await limit.giveBack(key);
    }
  }
}

/** A key and the limit that counts its uses. */
export type LimitedKey = readonly [limit: SharedLimit, key: string];

/** The limits of requests that name an email. */
export interface EmailLimits {
  /** Of one email from one client network. It is the lowest, so that no single network can use up the others. */
  readonly emailAndNetwork: SharedLimit;
  readonly network: SharedLimit;
  readonly email: SharedLimit;
}

export function emailLimits(
  dataSource: DataSource,
  name: string,
  points: Readonly<Record<keyof EmailLimits, number>>,
  windowSeconds: number,
): EmailLimits {
  const limit = (kind: string, most: number) =>
    new SharedLimit(dataSource, `${name}-${kind}`, most, windowSeconds);
  return {
    emailAndNetwork: limit('both', points.emailAndNetwork),
    network: limit('network', points.network),
    email: limit('email', points.email),
  };
}

/** Bounds the length of the keys and keeps emails and addresses out of the table. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function secondsLeft({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / SECOND_MS));
}
