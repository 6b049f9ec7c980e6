import { DomainError } from '../../../../kernel/domain-error';
import type { EmailLimits, SharedLimit } from '../../../../platform/database/shared-limit';

/**
 * Limits how many reset emails a network can cause and an email can receive, across all replicas. Owners in networks
 * that are known to them have an allowance of their own, which strangers cannot use up.
 */
export class PasswordResetQuota {
  constructor(
    private readonly limits: EmailLimits,
    private readonly ofOwner: SharedLimit,
  ) {}

  /**
   * Counts one request in the same way whether the email exists or not. It stops at the first limit that is exceeded, so
   * that requests beyond one limit do not count against the others.
   * @param owner the id of a user or an account with this email to whom the network is known, or null
   * @returns whether the recipient may get another email
   * @throws DomainError `rate_limited` for too many requests from the network
   */
  async use(emailKey: string, network: string, owner: string | null): Promise<boolean> {
    const seconds =
      (await this.limits.emailAndNetwork.use(`${emailKey}\n${network}`)) ??
      (await this.limits.network.use(network));
    if (seconds !== null) {
      throw new DomainError(
        'rate_limited',
        `Too many requests for this email or from this network. Retry in ${seconds} seconds.`,
        seconds,
      );
    }
    const exceeded = owner === null ? this.limits.email.use(emailKey) : this.ofOwner.use(owner);
    return (await exceeded) === null;
  }
}
