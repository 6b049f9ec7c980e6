import { DomainError } from '../../../kernel/domain-error';
import { emailKey } from '../../../kernel/text';
import type { Tx } from '../../../platform/database/database';
import type {
  CredentialListeners,
  CredentialsRepository,
  LoginChanger,
  NewCredential,
  SubjectKind,
} from './credential';
import { Credential } from './credential';
import type { MembershipRole, Principal, Role } from './principal';
import type { SessionsRepository } from './sessions.repository';

/** What a user is in the account, null without one, and whether nobody has known a password of the user yet. */
export type UserLogin = Readonly<Pick<Credential, 'membershipRole' | 'isInvited'>>;

/** Who has changed how a user or an account signs in. */
type LoginHistory = Readonly<Pick<Credential, 'passwordSetByOther' | 'loginChanges' | 'emailVerifiedAt'>>;

/**
 * The operations on credentials that other modules need. Changes run in the caller's transaction, and end or update the
 * affected sessions in it.
 */
export class Credentials {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly sessions: SessionsRepository,
    private readonly listeners: CredentialListeners,
  ) {}

  /**
   * Returns the id of the user or the account that has the email; null if there is none, which is only a hint: another
   * request may take the email before `create` commits.
   */
  async findSubject(kind: SubjectKind, email: string): Promise<string | null> {
    const found = await this.repository.findByEmail(emailKey(email));
    return found.find((credential) => credential.kind === kind)?.subjectId ?? null;
  }

  /** Whether there is such a user or account. */
  async exists(kind: SubjectKind, id: string): Promise<boolean> {
    const found = await this.repository.findBySubjects([id]);
    return found.some((credential) => credential.kind === kind);
  }

  /** @returns by the ids of the users */
  async userLogins(userIds: readonly string[]): Promise<ReadonlyMap<string, UserLogin>> {
    const found = await this.repository.findBySubjects(userIds);
    return new Map(found.map((credential) => [credential.subjectId, credential]));
  }

  /** Locks the user or the account until `tx` ends, so that it is not deleted meanwhile. @returns whether it exists */
  async lockSubject(tx: Tx, subjectId: string): Promise<boolean> {
    return (await this.repository.lock(tx, subjectId)) !== null;
  }

  /** Locks the credentials of users until `tx` ends. @returns those of admins who may log in, by the ids of the users */
  async lockAdmins(tx: Tx, userIds: readonly string[]): Promise<ReadonlyMap<string, LoginHistory>> {
    const locked = await this.repository.lockForLogin(tx, userIds);
    const admins = locked.filter(({ role, disabled }) => role === 'admin' && !disabled);
    return new Map(admins.map((credential) => [credential.subjectId, credential]));
  }

  /** Locks a credential until `tx` ends, and tells who has changed it. */
  lockHistory(tx: Tx, subjectId: string): Promise<LoginHistory> {
    return this.lock(tx, subjectId);
  }

  /**
   * Locks the credential and then the session.
   * @throws DomainError `unauthorized` when the session is not live, or the subject was deleted
   */
  async lockForSession(tx: Tx, subjectId: string, now: Date, sessionId: string | null): Promise<Credential> {
    const credential = await this.repository.lock(tx, subjectId);
    const isLive = sessionId === null || (await this.sessions.lock(tx, sessionId))?.isLive(now);
    if (credential === null || !isLive)
      throw new DomainError('unauthorized', 'The session has ended. Log in again.');
    return credential;
  }

  /** The commit fails with `email_exists` when a subject of the same kind has the email. */
  create(tx: Tx, fields: NewCredential, now: Date): void {
    const credential = Credential.create(fields);
    this.repository.add(tx, credential);
    this.notifyUnverified(tx, credential, now);
  }

  /** The commit fails with `email_exists` when a subject of the same kind has the email. */
  async changeEmail(tx: Tx, subjectId: string, email: string, by: LoginChanger, now: Date): Promise<void> {
    this.setEmail(tx, await this.lock(tx, subjectId), email, by, now);
  }

  /**
   * Changes the email as the subject itself, and ends the subject's sessions except `keepSessionId`.
   * @throws DomainError `unauthorized` when the kept session has ended since the request began
   */
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

  /** Records that the current password or the second factor was confirmed in the session. */
  recordConfirmation(tx: Tx, sessionId: string | null, now: Date): void {
    if (sessionId !== null) this.sessions.setAuthenticatedAt(tx, sessionId, now);
  }

  /**
   * Sets a new password and ends the subject's sessions except `keepSessionId`.
   * @throws DomainError `unauthorized` when the kept session has ended since the request began, for example because a
   * concurrent password change ended it
   */
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

  /** Sets a new password of a locked credential, and ends the subject's sessions except `keepSessionId`. */
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

  /** Records on the caller's session whether its subject has a second factor, and ends the subject's other sessions. */
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
    const credential = await this.recordSecondFactor(tx, subjectId, 'self', now);
    this.endSessions(tx, credential, now, sessionId);
  }

  /** Switches the second factor of a subject off, as an admin. */
  async resetSecondFactor(tx: Tx, subjectId: string, now: Date): Promise<void> {
    const credential = await this.recordSecondFactor(tx, subjectId, 'admin', now);
    this.listeners.notify('secondFactorReset', tx, credential, now);
  }

  /** Records that the second factor was changed. @returns the locked credential */
  async recordSecondFactor(tx: Tx, subjectId: string, by: LoginChanger, now: Date): Promise<Credential> {
    const credential = await this.lock(tx, subjectId);
    credential.recordChange('second_factor', by, now);
    this.repository.save(tx, credential);
    return credential;
  }

  /** Denies or allows login. Denying it ends the subject's sessions. */
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

  /**
   * Links a user and its live sessions to an account.
   * @param apiVersion to which the account is pinned
   * @returns false when the user cannot be linked
   */
  async link(
    tx: Tx,
    userId: string,
    accountId: string,
    membershipRole: MembershipRole,
    apiVersion: string | null,
  ): Promise<boolean> {
    const credential = await this.lock(tx, userId);
    if (!credential.isLinkable) return false;
    credential.linkTo(accountId, membershipRole);
    this.repository.save(tx, credential);
    this.sessions.link(tx, userId, accountId, membershipRole, apiVersion);
    return true;
  }

  /**
   * Pins an account and its live sessions to a version of the API. Logins in progress have opened their session before, or
   * read the version afterwards.
   * @returns the version before; if it is the same one, nothing is written
   */
  async pin(tx: Tx, accountId: string, apiVersion: string): Promise<string | null> {
    this.repository.lockOfAccount(tx, accountId);
    const credential = await this.lock(tx, accountId);
    const before = credential.apiVersion;
    if (before === apiVersion) return before;
    credential.pinTo(apiVersion);
    this.repository.save(tx, credential);
    this.sessions.pin(tx, accountId, apiVersion);
    return before;
  }

  /** Unlinks the owner of an account from it and ends the user's sessions. @returns false for a user who owns none */
  async unlinkOwner(tx: Tx, userId: string, now: Date): Promise<boolean> {
    const credential = await this.lock(tx, userId);
    if (credential.membershipRole !== 'owner') return false;
    credential.unlink();
    this.repository.save(tx, credential);
    this.endSessions(tx, credential, now, null);
    return true;
  }

  /** Deletes the credential, which frees its email, and ends the subject's sessions. */
  async delete(tx: Tx, subjectId: string, now: Date): Promise<void> {
    const credential = await this.lock(tx, subjectId);
    this.repository.delete(tx, subjectId);
    this.listeners.notify('deleted', tx, credential, now);
    this.endSessions(tx, credential, now, null);
  }

  /**
   * Ends all sessions that were opened with the credential, including those of logins in progress.
   * @returns the account and the role of the credential; null when there is no credential
   */
  async endOwnSessions(
    tx: Tx,
    subjectId: string,
    now: Date,
  ): Promise<Pick<Credential, 'accountId' | 'role'> | null> {
    const credential = await this.repository.lock(tx, subjectId);
    if (credential !== null) this.endSessions(tx, credential, now, null);
    return credential;
  }

  /** Ends all sessions that act for the account, including those of logins in progress. */
  endSessionsOfAccount(tx: Tx, accountId: string, now: Date): void {
    this.repository.lockOfAccount(tx, accountId);
    this.sessions.end(tx, { accountId }, now, null);
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
    if (credential.isInvited) this.listeners.notify('invited', tx, credential, now);
    else if (!credential.isEmailVerified) this.listeners.notify('emailUnverified', tx, credential, now);
  }

  private endSessions(tx: Tx, { kind, subjectId }: Credential, now: Date, except: string | null): void {
    const filter = kind === 'user' ? { userId: subjectId } : { openedAccountId: subjectId };
    this.sessions.end(tx, filter, now, except);
  }
}
