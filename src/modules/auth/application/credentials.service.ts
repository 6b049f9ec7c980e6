import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../kernel/refusal';
import { Tx } from '../../../platform/database/tx';
import { Credential, emailKey, SubjectKind } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { Role, Standing } from '../domain/principal';
import { SessionsRepository } from '../domain/sessions.repository';

/** What users and accounts do to the way their subjects sign in. Each call joins the caller's transaction. */
@Injectable()
export class Credentials {
  constructor(
    private readonly repository: CredentialsRepository,
    private readonly sessions: SessionsRepository,
  ) {}

  /** Whether one of the kind has the email. It may change at once: `create` decides. */
  async isTaken(kind: SubjectKind, email: string): Promise<boolean> {
    const found = await this.repository.ofEmail(emailKey(email));
    return found.some((credential) => credential.kind === kind);
  }

  /** The email is refused with `email_exists` when one of the same kind has it. */
  create(tx: Tx, subject: NewSubject): void {
    const { email, ...rest } = subject;
    this.repository.add(
      tx,
      Object.assign(Object.create(Credential.prototype) as Credential, rest, { emailKey: emailKey(email) }),
    );
  }

  async rename(tx: Tx, subjectId: string, email: string): Promise<void> {
    const credential = await this.locked(tx, subjectId);
    credential.emailKey = emailKey(email);
    this.repository.save(tx, credential);
  }

  /**
   * Sets a new password and ends the subject's sessions, but the one given.
   * @throws Refusal `unauthorized` when that one has ended since its request began: of two changes at once, the one
   * that comes first counts
   */
  async setPassword(
    tx: Tx,
    subjectId: string,
    passwordHash: string,
    now: Date,
    keepSessionId: string | null,
  ): Promise<void> {
    const credential = await this.repository.lock(tx, subjectId);
    const keptIsLive = keepSessionId === null || (await this.sessions.lock(tx, keepSessionId))?.isLive(now);
    if (credential === null || !keptIsLive) {
      throw new Refusal('unauthorized', 'This session has just ended. Log in again.');
    }
    credential.passwordHash = passwordHash;
    this.repository.save(tx, credential);
    this.endSessions(tx, credential, now, keepSessionId);
  }

  /** Refuses or allows signing in; refusing ends the subject's sessions. */
  async bar(tx: Tx, subjectId: string, barred: boolean, now: Date): Promise<void> {
    const credential = await this.locked(tx, subjectId);
    credential.barred = barred;
    this.repository.save(tx, credential);
    if (barred) this.endSessions(tx, credential, now, null);
  }

  async setRole(tx: Tx, userId: string, role: Role): Promise<void> {
    const credential = await this.locked(tx, userId);
    credential.role = role;
    this.repository.save(tx, credential);
    this.sessions.setRole(tx, userId, role);
  }

  /** Ties a user to an account, with the sessions it has. @returns false when it is tied already */
  async tie(tx: Tx, userId: string, accountId: string, standing: Standing): Promise<boolean> {
    const credential = await this.locked(tx, userId);
    if (credential.accountId !== null || credential.role !== 'user') return false;
    credential.accountId = accountId;
    credential.standing = standing;
    this.repository.save(tx, credential);
    this.sessions.tie(tx, userId, accountId, standing);
    return true;
  }

  /** Removes the credential for good and ends the subject's sessions. Its email is free again. */
  async forget(tx: Tx, subjectId: string, now: Date): Promise<void> {
    const credential = await this.locked(tx, subjectId);
    this.repository.remove(tx, subjectId);
    this.endSessions(tx, credential, now, null);
  }

  /** Ends every session that acts for the account, those that are just being opened included. */
  endSessionsOfAccount(tx: Tx, accountId: string, now: Date): void {
    this.repository.awaitSignIns(tx, accountId);
    this.sessions.end(tx, { accountId }, now, null);
  }

  /** Locked before anything else is done: a login that is under way commits before this, or sees the change. */
  private async locked(tx: Tx, subjectId: string): Promise<Credential> {
    const credential = await this.repository.lock(tx, subjectId);
    if (credential === null) throw new Error(`${subjectId} has no credential.`);
    return credential;
  }

  private endSessions(
    tx: Tx,
    { kind, subjectId }: Credential,
    now: Date,
    exceptSessionId: string | null,
  ): void {
    this.sessions.end(
      tx,
      kind === 'user' ? { userId: subjectId } : { openedAccountId: subjectId },
      now,
      exceptSessionId,
    );
  }
}

export interface NewSubject {
  readonly subjectId: string;
  readonly kind: SubjectKind;
  readonly email: string;
  readonly passwordHash: string;
  readonly accountId: string | null;
  readonly standing: Standing | null;
  readonly role: Role;
  readonly barred: boolean;
}
