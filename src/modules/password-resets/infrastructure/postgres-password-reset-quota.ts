import { DataSource } from 'typeorm';
import { MINUTE_MS, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { PasswordResetQuota } from '../domain/password-reset-quota';

const WINDOW_SECONDS = (60 * MINUTE_MS) / SECOND_MS;

/** Requests per hour. The limits outside production leave room for test suites. */
const LIMITS = {
  strict: { emailAndNetwork: 3, network: 20, email: 10 },
  loose: { emailAndNetwork: 100, network: 1000, email: 1000 },
};

/**
 * Counts requests for reset emails. The lowest limit applies to an email and a network together, so that nobody can use
 * up the requests of another person from one network.
 */
export class PostgresPasswordResetQuota extends PasswordResetQuota {
  private readonly limits: readonly {
    limit: SharedLimit;
    key: (emailKey: string, network: string) => string;
  }[];

  constructor(dataSource: DataSource, strict: boolean) {
    super();
    const { emailAndNetwork, network: perNetwork, email } = strict ? LIMITS.strict : LIMITS.loose;
    const limit = (name: string, points: number) =>
      new SharedLimit(dataSource, `password-resets-${name}`, points, WINDOW_SECONDS);
    this.limits = [
      { limit: limit('both', emailAndNetwork), key: (emailKey, network) => `${emailKey}\n${network}` },
      { limit: limit('network', perNetwork), key: (_, network) => network },
      { limit: limit('email', email), key: (emailKey) => emailKey },
    ];
  }

  /** Stops at the first limit that is exceeded, so that requests beyond one limit do not count against the others. */
  async use(emailKey: string, network: string): Promise<void> {
    for (const { limit, key } of this.limits) {
      const seconds = await limit.use(key(emailKey, network));
      if (seconds === null) continue;
      throw new DomainError(
        'rate_limited',
        `Too many requests for this email or from this network. Retry in ${seconds} seconds.`,
        seconds,
      );
    }
  }
}
