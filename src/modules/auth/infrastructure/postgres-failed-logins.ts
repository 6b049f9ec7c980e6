import { createHash } from 'node:crypto';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { FailedLogins } from '../domain/failed-logins';

const WINDOW_SECONDS = (15 * MINUTE_MS) / SECOND_MS;

/** Failed logins that are answered in 15 minutes. Outside production a test suite may fail more often. */
const LIMITS = {
  production: { emailAndAddress: 10, email: 100, address: 100 },
  elsewhere: { emailAndAddress: 100, email: 1000, address: 1000 },
};

/**
 * Counts failed logins in the database, so that all replicas share the count, and refuses once a limit is reached.
 * The lowest limit is for one email from one address: a stranger elsewhere locks nobody out with it.
 */
export class PostgresFailedLogins extends FailedLogins {
  private readonly limiters: readonly {
    limiter: RateLimiterPostgres;
    key: (email: string, address: string) => string;
  }[];

  constructor(dataSource: DataSource, production: boolean) {
    super();
    const limits = production ? LIMITS.production : LIMITS.elsewhere;
    const limiter = (keyPrefix: string, points: number) =>
      new RateLimiterPostgres({
        storeClient: dataSource,
        storeType: 'typeorm',
        tableName: 'failed_logins',
        tableCreated: true,
        keyPrefix,
        points,
        duration: WINDOW_SECONDS,
        clearExpiredByTimeout: true,
      });
    this.limiters = [
      {
        limiter: limiter('both', limits.emailAndAddress),
        key: (email, address) => hashed(`${email}\n${address}`),
      },
      { limiter: limiter('address', limits.address), key: (_, address) => hashed(address) },
      { limiter: limiter('email', limits.email), key: (email) => hashed(email) },
    ];
  }

  async assertAllowed(email: string, address: string): Promise<void> {
    const counts = await Promise.all(
      this.limiters.map(({ limiter, key }) => limiter.get(key(email, address))),
    );
    const full = counts.filter((count) => count !== null && count.remainingPoints <= 0);
    if (full.length > 0) throw tooMany(Math.max(...full.map((count) => count!.msBeforeNext)));
  }

  async count(email: string, address: string): Promise<void> {
    for (const { limiter, key } of this.limiters) {
      const { consumedPoints, msBeforeNext } = await limiter.penalty(key(email, address));
      if (consumedPoints > limiter.points) throw tooMany(msBeforeNext);
    }
  }
}

/** Keys are of bounded length, and tell nobody who reads the table which emails were tried. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function tooMany(waitMs: number): Refusal {
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
  return new Refusal('rate_limited', `Too many failed logins. Try again in ${seconds} seconds.`, seconds);
}
