import { Injectable } from '@nestjs/common';
import { Actor, AuditTrail } from '../../../platform/audit/audit-trail';
import { type Finding, type HealthCheck, ok, warning } from '../../../platform/config/health-check';
import { Tx } from '../../../platform/database/database';
import { mailSettings } from '../../../platform/mail/mail.settings';
import { authSettings } from '../auth.settings';
import { Credential, CredentialListeners, CredentialsRepository } from '../domain/credential';
import { Credentials } from '../domain/credentials';
import { LoginSubject, SignInSubjects } from '../domain/sign-in-subjects';

/** Records the proof that an email belongs to the user or the account that has it. */
@Injectable()
export class EmailProofs {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly credentials: Credentials,
    private readonly subjects: SignInSubjects,
    private readonly listeners: CredentialListeners,
    private readonly audit: AuditTrail,
  ) {}

  /** Locks the user or the account, and then its credential. @returns null unless it may log in */
  async lock(tx: Tx, { kind, id }: Pick<LoginSubject, 'kind' | 'id'>): Promise<Credential | null> {
    await this.subjects.get(kind).lock(tx, id);
    const credential = await this.repository.lock(tx, id);
    return credential === null || credential.disabled ? null : credential;
  }

  /** Locks the credentials of the user and the account that have the email and may log in. */
  async lockByEmail(tx: Tx, key: string): Promise<Credential[]> {
    return (await this.repository.lockByEmail(tx, key)).filter(({ disabled }) => !disabled);
  }

  /** Records that the owner of the mailbox knows the password of a locked credential. */
  verify(tx: Tx, actor: Actor, credential: Credential, now: Date): void {
    const { subjectId: objectId, accountId } = credential;
    credential.verifyEmail(now);
    this.repository.save(tx, credential);
    this.audit.record(tx, actor, { action: 'email.verify', objectId, accountId });
  }

  /**
   * Records that somebody proved to be the owner of the mailbox without the password. If that is the first proof, the
   * one who knew the password may be a stranger, and what they set up is removed: the second factor and sessions, and of an
   * account its API keys, webhook endpoints and users. Who was invited keeps all, because nobody has known a password.
   * @returns the credential as it is then; null when there was too much for one database transaction: call it again in
   * another one
   */
  async takeOver(tx: Tx, actor: Actor, locked: Credential, now: Date): Promise<Credential | null> {
    if (locked.isInvited) {
      this.verify(tx, actor, locked, now);
      return locked;
    }
    if (locked.isEmailVerified) return locked;
    const { kind, subjectId, accountId } = locked;
    this.listeners.notify('takenOver', tx, locked, now);
    await this.credentials.endOwnSessions(tx, subjectId, now);
    if (!(await this.subjects.get(kind).revokeAccess(tx, actor, subjectId, now))) return null;
    const credential = await this.repository.lock(tx, subjectId);
    if (credential === null) throw new Error(`${subjectId} has no credential.`);
    this.audit.record(tx, actor, { action: `${kind}.take_over`, objectId: subjectId, accountId });
    this.verify(tx, actor, credential, now);
    return credential;
  }
}

/** Checks that emails can be verified, where that is required. */
export const verificationCheck: HealthCheck = {
  name: 'verification',
  async run({ settings }): Promise<readonly Finding[]> {
    if (!settings.of(authSettings).requireVerifiedEmail) return [];
    if (settings.of(mailSettings) !== null) return [ok('Emails of users and accounts can be verified.')];
    return [
      warning(
        'Emails must be verified, and no email is sent: new accounts cannot create API keys, webhook endpoints or users.',
        'Set SMTP_URL, or REQUIRE_VERIFIED_EMAIL=false.',
      ),
    ];
  },
};
