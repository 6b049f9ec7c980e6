import { ExtensionPoint } from '../../../kernel/extension-point';
import type { WriteTx } from '../../../platform/database/tx';

/** Whose credential changes. */
export interface ChangedCredential {
  /** The id of the user or the account. */
  readonly subjectId: string;
  /** The email; when it changes, the one before. */
  readonly emailKey: string;
}

/** The changes of credentials that a module can follow, each in the database transaction of the change. */
interface CredentialListener {
  readonly name: string;
  passwordChanged?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  emailChanged?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** The credential has a new email, which is not verified: after a sign-up, and after a change. */
  emailUnverified?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** What a stranger may have set up is removed, because the owner of the mailbox takes the credential over. */
  takenOver?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
  /** The user or the account was deleted. */
  deleted?(tx: WriteTx, credential: ChangedCredential, now: Date): void;
}

/** The extension point for modules that follow credentials. */
export class CredentialListeners extends ExtensionPoint<CredentialListener> {
  constructor() {
    super('CredentialListeners');
  }

  notify(
    event: Exclude<keyof CredentialListener, 'name'>,
    tx: WriteTx,
    { subjectId, emailKey }: ChangedCredential,
    now: Date,
  ): void {
    for (const listener of this.members) listener[event]?.(tx, { subjectId, emailKey }, now);
  }
}
