import { createHash } from 'node:crypto';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import { DataSource } from 'typeorm';
import { clientNetwork } from '../../../kernel/client-network';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { FailedLogins } from '../domain/failed-logins';

const WINDOW_SECONDS = (15 * MINUTE_MS) / SECOND_MS;

/** Failed logins allowed in 15 minutes. The limits outside production leave room for test suites. */
const LIMITS = {
  strict: { emailAndNetwork: 10, email: 100, network: 100 },
  loose: { emailAndNetwork: 100, email: 1000, network: 1000 },
};

/** Whether the user or the account of an email, or with an id, has opened a session from a network. */
const IS_KNOWN = `SELECT 1 FROM credentials AS c
  WHERE (c.subject_id = $1 OR (c.kind IN ('user', 'account') AND c.email_key = $1)) AND (
    EXISTS (SELECT FROM sessions WHERE user_id = c.subject_id AND network = $2) OR
    EXISTS (SELECT FROM sessions WHERE opened_account_id = c.subject_id AND network = $2))`;

interface Limit {
  readonly limiter: RateLimiterPostgres;
  readonly key: (email: string, network: string) => string;
  /** Whether the limit applies only to networks that the owner of the email has not used. */
  readonly ofStrangers: boolean;
}

/** Counts failed logins in the database, which all replicas share. */
export class PostgresFailedLogins extends FailedLogins {
  private readonly limits: readonly Limit[];

  constructor(
    private readonly dataSource: DataSource,
    strict: boolean,
  ) {
    super();
    const points = strict ? LIMITS.strict : LIMITS.loose;
    const limiter = (keyPrefix: string, most: number) =>
      new RateLimiterPostgres({
        storeClient: dataSource,
        storeType: 'typeorm',
        tableName: 'failed_logins',
        tableCreated: true,
        keyPrefix,
        points: most,
        duration: WINDOW_SECONDS,
        clearExpiredByTimeout: true,
      });
    this.limits = [
      {
        limiter: limiter('both', points.emailAndNetwork),
        key: (email, network) => hashed(`${email}\n${network}`),
        ofStrangers: false,
      },
      {
        limiter: limiter('address', points.network),
        key: (_, network) => hashed(network),
        ofStrangers: false,
      },
      { limiter: limiter('email', points.email), key: (email) => hashed(email), ofStrangers: true },
    ];
  }

  async assertAllowed(email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    const waits = await Promise.all(
      this.limits.map(async (limit) => {
        const count = await limit.limiter.get(limit.key(email, network));
        const isFull = count !== null && count.remainingPoints <= 0;
        return isFull && (await this.appliesTo(limit, email, network)) ? count.msBeforeNext : null;
      }),
    );
    const full = waits.filter((wait) => wait !== null);
    if (full.length > 0) throw rateLimited(Math.max(...full));
  }

  async count(email: string, address: string): Promise<void> {
    const network = clientNetwork(address);
    for (const limit of this.limits) {
      const { consumedPoints, msBeforeNext } = await limit.limiter.penalty(limit.key(email, network));
      const isExceeded = consumedPoints > limit.limiter.points;
      if (isExceeded && (await this.appliesTo(limit, email, network))) throw rateLimited(msBeforeNext);
    }
  }

  private async appliesTo({ ofStrangers }: Limit, email: string, network: string): Promise<boolean> {
    if (!ofStrangers) return true;
    const rows: unknown[] = await this.dataSource.query(IS_KNOWN, [email, network]);
    return rows.length === 0;
  }
}

/** Bounds the length of the keys and keeps emails out of the table. */
function hashed(key: string): string {
  return createHash('sha256').update(key).digest('base64url');
}

function rateLimited(waitMs: number): DomainError {
  const seconds = Math.max(1, Math.ceil(waitMs / SECOND_MS));
  return new DomainError('rate_limited', `Too many failed logins. Retry in ${seconds} seconds.`, seconds);
}
