import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import { Tx } from '../../../platform/database/tx';
import { Credential, LoginChanger, LoginPart, NewCredential, SubjectKind } from '../domain/credential';
import { CredentialListeners } from '../domain/credential-listeners';
import { Credentials, LoginHistory } from '../domain/credentials';
import { CredentialsRepository } from '../domain/credentials.repository';
import { MembershipRole, Principal, Role } from '../domain/principal';
import { SessionsRepository } from '../domain/sessions.repository';

@Injectable()
export class CredentialsService extends Credentials {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly sessions: SessionsRepository,
    private readonly listeners: CredentialListeners,
  ) {
    super();
  }

  async isTaken(kind: SubjectKind, email: string): Promise<boolean> {
    return (await this.findSubject(kind, email)) !== null;
  }

  async findSubject(kind: SubjectKind, email: string): Promise<string | null> {
    const found = await this.repository.findByEmail(emailKey(email));
    return found.find((credential) => credential.kind === kind)?.subjectId ?? null;
  }

  async membershipRoles(userIds: readonly string[]): Promise<ReadonlyMap<string, MembershipRole | null>> {
    const found = await this.repository.findBySubjects(userIds);
    return new Map(found.map(({ subjectId, membershipRole }) => [subjectId, membershipRole]));
  }

  async lockByEmail(tx: Tx, key: string): Promise<Credential[]> {
    return (await this.repository.lockByEmail(tx, key)).filter(({ disabled }) => !disabled);
  }

  async lockSubject(tx: Tx, subjectId: string): Promise<boolean> {
    return (await this.repository.lock(tx, subjectId)) !== null;
  }

  async lockAdmins(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, LoginHistory>> {
    const locked = await this.repository.lockForLogin(tx, userIds);
    const admins = locked.filter(({ role, disabled }) => role === 'admin' && !disabled);
    return new Map(admins.map((credential) => [credential.subjectId, credential]));
  }

  lockHistory(tx: Tx, subjectId: string): Promise<LoginHistory> {
    return this.lock(tx, subjectId);
  }

  create(tx: Tx, fields: NewCredential, now: Date): void {
    const credential = Credential.create(fields);
    this.repository.add(tx, credential);
    this.notifyUnverified(tx, credential, now);
  }

  async changeEmail(tx: Tx, subjectId: string, email: string, by: LoginChanger, now: Date): Promise<void> {
    this.setEmail(tx, await this.lock(tx, subjectId), email, by, now);
  }

  async changeOwnEmail(
    tx: Tx,
    subjectId: string,
    email: string,
    now: Date,
    keepSessionId: string | null,
  ): Promise<void> {
    const credential = await this.lockForSession(tx, subjectId, now, keepSessionId);
    this.setEmail(tx, credential, email, 'self', now);
    this.endSessions(tx, credential, now, keepSessionId);
  }

  recordConfirmation(tx: Tx, sessionId: string | null, now: Date): void {
    if (sessionId !== null) this.sessions.setAuthenticatedAt(tx, sessionId, now);
  }

  async setPassword(
    tx: Tx,
    subjectId: string,
    passwordHash: string,
    now: Date,
    keepSessionId: string | null,
    by: LoginChanger,
  ): Promise<void> {
    const credential = await this.lockForSession(tx, subjectId, now, keepSessionId);
    this.replacePassword(tx, credential, passwordHash, now, keepSessionId, by);
  }

  replacePassword(
    tx: Tx,
    credential: Credential,
    passwordHash: string,
    now: Date,
    keepSessionId: string | null,
    by: LoginChanger,
  ): void {
    credential.setPassword(passwordHash, by, now);
    this.repository.save(tx, credential);
    this.listeners.notify('passwordChanged', tx, credential, now);
    this.endSessions(tx, credential, now, keepSessionId);
  }

  async setSecondFactor(
    tx: Tx,
    { sessionId, subjectId }: Principal,
    isOn: boolean,
    now: Date,
  ): Promise<void> {
    const session = sessionId === null ? null : await this.sessions.lock(tx, sessionId);
    if (session === null) throw new Error(`The session ${sessionId} does not exist.`);
    session.setSecondFactor(isOn);
    this.sessions.save(tx, session);
    const credential = await this.recordChange(tx, subjectId, 'second_factor', 'self', now);
    this.endSessions(tx, credential, now, sessionId);
  }

  async recordChange(
    tx: Tx,
    subjectId: string,
    part: LoginPart,
    by: LoginChanger,
    now: Date,
  ): Promise<Credential> {
    const credential = await this.lock(tx, subjectId);
    credential.recordChange(part, by, now);
    this.repository.save(tx, credential);
    return credential;
  }

  async setDisabled(tx: Tx, subjectId: string, disabled: boolean, now: Date): Promise<void> {
    const credential = await this.lock(tx, subjectId);
    credential.setDisabled(disabled);
    this.repository.save(tx, credential);
    if (disabled) this.endSessions(tx, credential, now, null);
  }

  async setRole(tx: Tx, userId: string, role: Role): Promise<void> {
    const credential = await this.lock(tx, userId);
    credential.setRole(role);
    this.repository.save(tx, credential);
    this.sessions.setRole(tx, userId, role);
  }

  async link(tx: Tx, userId: string, accountId: string, membershipRole: MembershipRole): Promise<boolean> {
    const credential = await this.lock(tx, userId);
    if (!credential.isLinkable) return false;
    credential.linkTo(accountId, membershipRole);
    this.repository.save(tx, credential);
    this.sessions.link(tx, userId, accountId, membershipRole);
    return true;
  }

  async unlinkOwner(tx: Tx, userId: string, now: Date): Promise<boolean> {
    const credential = await this.lock(tx, userId);
    if (credential.membershipRole !== 'owner') return false;
    credential.unlink();
    this.repository.save(tx, credential);
    this.endSessions(tx, credential, now, null);
    return true;
  }

  async delete(tx: Tx, subjectId: string, now: Date): Promise<void> {
    const credential = await this.lock(tx, subjectId);
    this.repository.delete(tx, subjectId);
    this.listeners.notify('deleted', tx, credential, now);
    this.endSessions(tx, credential, now, null);
  }

  async endOwnSessions(
    tx: Tx,
    subjectId: string,
    now: Date,
  ): Promise<Pick<Credential, 'accountId' | 'role'> | null> {
    const credential = await this.repository.lock(tx, subjectId);
    if (credential !== null) this.endSessions(tx, credential, now, null);
    return credential;
  }

  endSessionsOfAccount(tx: Tx, accountId: string, now: Date): void {
    this.repository.lockOfAccount(tx, accountId);
    this.sessions.end(tx, { accountId }, now, null);
  }

  async lockForSession(tx: Tx, subjectId: string, now: Date, sessionId: string | null): Promise<Credential> {
    const credential = await this.repository.lock(tx, subjectId);
    const isLive = sessionId === null || (await this.sessions.lock(tx, sessionId))?.isLive(now);
    if (credential === null || !isLive) {
      throw new DomainError('unauthorized', 'The session has ended. Log in again.');
    }
    return credential;
  }

  /** Waits for a login in progress, which holds the lock; a later login reads the changed credential. */
  private async lock(tx: Tx, subjectId: string): Promise<Credential> {
    const credential = await this.repository.lock(tx, subjectId);
    if (credential === null) throw new Error(`${subjectId} has no credential.`);
    return credential;
  }

  private setEmail(tx: Tx, credential: Credential, email: string, by: LoginChanger, now: Date): void {
    this.listeners.notify('emailChanged', tx, credential, now);
    credential.changeEmail(email, by, now);
    this.repository.save(tx, credential);
    this.notifyUnverified(tx, credential, now);
  }

  private notifyUnverified(tx: Tx, credential: Credential, now: Date): void {
    if (!credential.isEmailVerified) this.listeners.notify('emailUnverified', tx, credential, now);
  }

  private endSessions(
    tx: Tx,
    { kind, subjectId }: Credential,
    now: Date,
    exceptSessionId: string | null,
  ): void {
    const filter = kind === 'user' ? { userId: subjectId } : { openedAccountId: subjectId };
    this.sessions.end(tx, filter, now, exceptSessionId);
  }
}
