import { Tx } from '../../../platform/database/tx';
import { Credential } from './credential';

export abstract class CredentialsRepository {
  /** The user's and the account's credential of an email: none, one or both. */
  abstract ofEmail(emailKey: string): Promise<Credential[]>;
  abstract ofSubjects(subjectIds: readonly string[]): Promise<Credential[]>;
  /** Locks them against change, not against other sign-ins. */
  abstract lockForSignIn(tx: Tx, subjectIds: readonly string[]): Promise<Credential[]>;
  abstract lock(tx: Tx, subjectId: string): Promise<Credential | null>;
  /** A taken email is refused with `email_exists`. */
  abstract add(tx: Tx, credential: Credential): void;
  abstract save(tx: Tx, credential: Credential): void;
  abstract remove(tx: Tx, subjectId: string): void;
  /** Queues waiting for every sign-in of the account that is under way. */
  abstract awaitSignIns(tx: Tx, accountId: string): void;
  /** Replaces a hash, if it is still the one given. */
  abstract rehash(subjectId: string, from: string, to: string): Promise<void>;
}
