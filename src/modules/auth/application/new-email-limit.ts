import { clientNetwork } from '../../../kernel/client-network';
import { DomainError } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { SharedLimit } from '../../../platform/database/shared-limit';
import { isOperator, Principal } from '../domain/principal';

/** Limits the sign-ups and changes of emails of one client network: `email_exists` tells which emails are in use. */
export class NewEmailLimit {
  /** @param limit null for none */
  constructor(private readonly limit: SharedLimit | null) {}

  /** @throws DomainError `rate_limited`, unless the caller is an admin or a platform system */
  async use(caller: Principal | null, device: Device): Promise<void> {
    if (this.limit === null || isOperator(caller)) return;
    const waitSeconds = await this.limit.use(clientNetwork(device.ip));
    if (waitSeconds === null) return;
    throw new DomainError(
      'rate_limited',
      `Too many sign-ups and changes of emails from your network. Retry in ${waitSeconds} seconds.`,
      waitSeconds,
    );
  }
}
