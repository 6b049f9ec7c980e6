import { clientNetwork } from '../../../kernel/client-network';
import { DomainError } from '../../../kernel/domain-error';
import type { Device } from '../../../platform/audit/audit-trail';
import type { SharedLimit } from '../../../platform/database/shared-limit';
import { NewEmailLimit } from '../domain/new-email-limit';
import type { Principal } from '../domain/principal';
import { isOperator } from '../domain/principal';

export class NewEmailLimitService extends NewEmailLimit {
  /** @param limit null for none */
  constructor(private readonly limit: SharedLimit | null) {
    super();
  }

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
