import { DomainError } from '../../../kernel/domain-error';
import type { Tx } from '../../../platform/database/database';
import type { ApiKeyCheck } from './api-key-check';
import type { Credential, CredentialsRepository } from './credential';
import type { Credentials } from './credentials';
import type { Principal } from './principal';

/**
 * Whether the owner of a mailbox has proved that the email of a user or an account is theirs. Until then, a stranger may
 * have signed up with it (see docs/decisions/83-verified-emails.md).
 */
export class VerifiedEmails {
  /** @param settings whether the proof is required */
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly credentials: Credentials,
    private readonly apiKeys: ApiKeyCheck,
    private readonly settings: { readonly requireVerifiedEmail: boolean },
  ) {}

  /**
   * Call this in a transaction that has locked the account, before someone gets lasting access to it or its data: it
   * rejects callers whose own access ended while they waited for the lock.
   * @throws DomainError `forbidden` for an account whose email must be verified first; `unauthorized`
   */
  async assertMayGrantAccess(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void> {
    if (caller.sessionId !== null)
      await this.credentials.lockForSession(tx, caller.subjectId, now, caller.sessionId);
    else await this.apiKeys.lockCalling(tx, caller, now);
    const credential = await this.repository.lock(tx, accountId);
    if (credential !== null) this.assertVerified(credential);
  }

  /** @throws DomainError `forbidden` for an email that must be verified first */
  assertVerified({ isEmailVerified }: Credential): void {
    if (isEmailVerified || !this.settings.requireVerifiedEmail) return;
    throw new DomainError(
      'forbidden',
      'Verify the email first: POST /v1/auth/email/verification sends a link to it.',
    );
  }

  /** Whether the owner of the mailbox has proved it, or need not. No role stands in for the proof. */
  isProved({ emailVerifiedAt }: Pick<Credential, 'emailVerifiedAt'>): boolean {
    return emailVerifiedAt !== null || !this.settings.requireVerifiedEmail;
  }
}
