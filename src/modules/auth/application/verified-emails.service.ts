import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Actor, AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { authSettings, AuthSettings } from '../auth.settings';
import { ApiKeyCheck } from '../domain/api-key-check';
import { Credential } from '../domain/credential';
import { CredentialListeners } from '../domain/credential-listeners';
import { Credentials } from '../domain/credentials';
import { CredentialsRepository } from '../domain/credentials.repository';
import { Principal } from '../domain/principal';
import { LoginSubject, SignInSubjects } from '../domain/sign-in-subjects';
import { VerifiedEmails } from '../domain/verified-emails';

@Injectable()
export class VerifiedEmailsService extends VerifiedEmails {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly credentials: Credentials,
    private readonly subjects: SignInSubjects,
    private readonly listeners: CredentialListeners,
    private readonly apiKeys: ApiKeyCheck,
    private readonly audit: AuditTrail,
    @Inject(authSettings.token) private readonly settings: AuthSettings,
  ) {
    super();
  }

  findOf({ userId, openedAccountId, accountId, membershipRole }: Principal): Promise<Credential[]> {
    const ids = [userId, openedAccountId, membershipRole === 'owner' ? accountId : null];
    return this.repository.findBySubjects([...new Set(ids.filter((id) => id !== null))]);
  }

  async assertMayGrantAccess(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void> {
    if (caller.sessionId !== null)
      await this.credentials.lockForSession(tx, caller.subjectId, now, caller.sessionId);
    else if (!(await this.apiKeys.isLive(tx, caller.subjectId, now)))
      throw new DomainError('unauthorized', 'The API key was revoked or has expired.');
    const credential = await this.repository.lock(tx, accountId);
    if (credential !== null) this.assertVerified(credential);
  }

  assertVerified({ isEmailVerified }: Credential): void {
    if (isEmailVerified || !this.settings.requireVerifiedEmail) return;
    throw new DomainError(
      'forbidden',
      'Verify the email first: POST /v1/auth/email/verification sends a link to it.',
    );
  }

  isProved({ emailVerifiedAt }: Pick<Credential, 'emailVerifiedAt'>): boolean {
    return emailVerifiedAt !== null || !this.settings.requireVerifiedEmail;
  }

  requestVerification(tx: WriteTx, credential: Credential, now: Date): void {
    this.listeners.notify('emailUnverified', tx, credential, now);
  }

  async lock(tx: Tx, { kind, id }: Pick<LoginSubject, 'kind' | 'id'>): Promise<Credential | null> {
    await this.subjects.lock(kind, tx, id);
    const credential = await this.repository.lock(tx, id);
    return credential === null || credential.disabled ? null : credential;
  }

  verify(tx: Tx, actor: Actor, credential: Credential, now: Date): void {
    const { subjectId: objectId, accountId } = credential;
    credential.verifyEmail(now);
    this.repository.save(tx, credential);
    this.audit.record(tx, actor, { action: 'email.verify', objectId, accountId });
  }

  async takeOver(tx: Tx, actor: Actor, locked: Credential, now: Date): Promise<Credential | null> {
    if (locked.isEmailVerified) return locked;
    const { kind, subjectId, accountId } = locked;
    this.listeners.notify('takenOver', tx, locked, now);
    await this.credentials.endOwnSessions(tx, subjectId, now);
    if (!(await this.subjects.revokeAccess(kind, tx, actor, subjectId, now))) return null;
    const credential = await this.repository.lock(tx, subjectId);
    if (credential === null) throw new Error(`${subjectId} has no credential.`);
    this.audit.record(tx, actor, { action: `${kind}.take_over`, objectId: subjectId, accountId });
    this.verify(tx, actor, credential, now);
    return credential;
  }
}
