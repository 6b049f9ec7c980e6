import type { Device } from '../../../platform/audit/audit-trail';
import type { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import type { Tx } from '../../../platform/database/tx';
import type { SubjectKind } from './credential';
import type { Principal } from './principal';

export interface SignUp {
  readonly kind: SubjectKind;
  readonly email: string;
  readonly password: string;
  readonly name: string | null;
}

/** Who signs up, or creates another user or account. */
export interface SignUpClient {
  readonly caller: Principal | null;
  readonly device: Device;
}

/** Creates users and accounts with their passwords, such that sign-ups cannot keep the processors busy with hashes. */
export abstract class SignUps {
  /**
   * Hashes the password and runs `work`, which creates the user or account with it. Everything that can be rejected
   * without a hash is rejected before.
   * @throws DomainError `invalid_request` for a weak password; `email_exists`; `rate_limited` for too many sign-ups from
   * one client network, unless the caller is an admin or a platform system; `unavailable`
   */
  abstract create<T extends object>(
    signUp: SignUp,
    client: SignUpClient,
    operation: IdempotentOperation<T>,
    work: (tx: Tx, now: Date, passwordHash: string) => Promise<T>,
  ): Promise<StoredResponse>;
}
