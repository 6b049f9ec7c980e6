import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx, WriteTx } from '../../../platform/database/tx';
import type { Credential } from './credential';
import type { Principal } from './principal';
import type { LoginSubject } from './sign-in-subjects';

/**
 * Whether the owner of a mailbox has proved that the email of a user or an account is theirs. Until then, a stranger may
 * have signed up with it (see docs/decisions/83-verified-emails.md).
 */
export abstract class VerifiedEmails {
  /** Returns the credentials of the caller's user, of the account that the session opened, and of an account it owns. */
  abstract findOf(principal: Principal): Promise<Credential[]>;

  /**
   * Call this in a transaction that has locked the account, before someone gets lasting access to it or its data: it
   * rejects callers whose own access ended while they waited for the lock.
   * @throws DomainError `forbidden` for an account whose email must be verified first; `unauthorized`
   */
  abstract assertMayGrantAccess(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void>;

  /** @throws DomainError `forbidden` for an email that must be verified first */
  abstract assertVerified(credential: Credential): void;

  /** Whether the owner of the mailbox has proved it, or need not. No role stands in for the proof. */
  abstract isProved(credential: Pick<Credential, 'emailVerifiedAt'>): boolean;

  /** Has a link sent to the email of a credential. */
  abstract requestVerification(tx: WriteTx, credential: Credential, now: Date): void;

  /** Locks the user or the account, and then its credential. @returns null unless it may log in */
  abstract lock(tx: Tx, subject: Pick<LoginSubject, 'kind' | 'id'>): Promise<Credential | null>;

  /** Records that the owner of the mailbox knows the password of a locked credential. */
  abstract verify(tx: Tx, actor: Actor, credential: Credential, now: Date): void;

  /**
   * Records that somebody proved to be the owner of the mailbox without the password. If that is the first proof, the
   * one who knew the password may be a stranger, and what they set up is removed: the second factor and sessions, and of an
   * account its API keys, webhook endpoints and users.
   * @returns the credential as it is then; null when there was too much for one database transaction: call it again in
   * another one
   */
  abstract takeOver(tx: Tx, actor: Actor, locked: Credential, now: Date): Promise<Credential | null>;
}
