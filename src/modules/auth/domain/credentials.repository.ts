import type { Tx } from '../../../platform/database/tx';
import type { Credential } from './credential';

export abstract class CredentialsRepository {
  /** Returns the credentials of the user and of the account with this email: none, one or both. */
  abstract findByEmail(emailKey: string): Promise<Credential[]>;
  abstract findBySubjects(subjectIds: readonly string[]): Promise<Credential[]>;
  /**
   * Locks the credentials until the commit, in the order of their ids, so that logins of the same subject open their
   * sessions one at a time.
   */
  abstract lockForLogin(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]>;
  /** Locks the credentials of the user and of the account with this email, in the order of their ids. */
  abstract lockByEmail(tx: Tx, emailKey: string): Promise<Credential[]>;
  abstract lock(tx: Tx, subjectId: string): Promise<Credential | null>;
  /** An email that is already in use fails with `email_exists` at the commit. */
  abstract add(tx: Tx, credential: Credential): void;
  /** An email that is already in use fails with `email_exists` at the commit. */
  abstract save(tx: Tx, credential: Credential): void;
  abstract delete(tx: Tx, subjectId: string): void;
  /** Queues a lock on all credentials of the account, which waits for logins in progress. */
  abstract lockOfAccount(tx: Tx, accountId: string): void;
  /** Replaces the password hash unless it has changed from `oldHash`. */
  abstract rehash(subjectId: string, oldHash: string, newHash: string): Promise<void>;
}
