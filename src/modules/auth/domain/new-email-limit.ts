import type { Device } from '../../../platform/audit/audit-trail';
import type { Principal } from './principal';

/** Limits the sign-ups and changes of emails of one client network: `email_exists` tells which emails are in use. */
export abstract class NewEmailLimit {
  /** @throws DomainError `rate_limited`, unless the caller is an admin or a platform system */
  abstract use(caller: Principal | null, device: Device): Promise<void>;
}
