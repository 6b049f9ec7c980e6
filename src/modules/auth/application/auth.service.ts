import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Credential, emailKey } from '../domain/credential';
import { CredentialsRepository } from '../domain/credentials.repository';
import { FailedLogins } from '../domain/failed-logins';
import { assertPassword } from '../domain/password-policy';
import { Principal } from '../domain/principal';
import { Device, Session } from '../domain/session';
import { SignInSubjects, SubjectSummary } from '../domain/sign-in-subjects';
import { AccessTokens } from './access-tokens';
import { Credentials } from './credentials.service';
import { PasswordHasher } from './password-hasher';
import { OpenSession, Sessions } from './sessions.service';

/** What a login and a refresh answer (interface 2.5). */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
  readonly expiresInSeconds: number;
  readonly user: SubjectSummary;
}

/** An email may serve one user and one account, so a login compares at most this many hashes. */
const COMPARISONS = 2;

/** How often a login starts again because a password was changed under it. */
const MAX_ATTEMPTS = 3;

@Injectable()
export class AuthService {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly credentials: CredentialsRepository,
    private readonly passwords: Credentials,
    private readonly sessions: Sessions,
    private readonly hasher: PasswordHasher,
    private readonly failedLogins: FailedLogins,
    private readonly accessTokens: AccessTokens,
    private readonly subjects: SignInSubjects,
  ) {}

  /**
   * Interface 4.1. Opens one session for all that the password opens of this email: the user, the account, or both.
   * @throws Refusal `invalid_credentials` when it opens nothing, in the same time whether the email exists or not;
   * `unauthorized` when nothing of what it opens may sign in; `rate_limited` after too many failures
   */
  async logIn(email: string, password: string, device: Device): Promise<Tokens> {
    const key = emailKey(email);
    await this.failedLogins.assertAllowed(key, device.ip);
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      const opened = await this.opened(password, await this.credentials.ofEmail(key));
      if (opened.length === 0) break;
      await this.failedLogins.assertAllowed(key, device.ip);
      const open = await this.openSession(opened, device);
      if (open === null) continue;
      await this.rehashOutdated(opened, password);
      return this.tokens(open);
    }
    await this.failedLogins.count(key, device.ip);
    throw new Refusal('invalid_credentials', 'The email or the password is wrong.');
  }

  async refresh(refreshToken: string): Promise<Tokens> {
    return this.tokens(await this.sessions.refresh(refreshToken));
  }

  /**
   * Changes the password of all that the session's own password opened, and ends its other sessions.
   * @throws Refusal `invalid_credentials` when the present password is wrong; `invalid_request` for a weak new one
   */
  async changePassword(principal: Principal, present: string, next: string, device: Device): Promise<void> {
    await this.failedLogins.assertAllowed(principal.subjectId, device.ip);
    const ids = [principal.userId, principal.openedAccountId].filter((id) => id !== null);
    const opened = await this.opened(present, await this.credentials.ofSubjects(ids));
    if (opened.length < ids.length) {
      await this.failedLogins.count(principal.subjectId, device.ip);
      throw new Refusal('invalid_credentials', 'The current password is wrong.');
    }
    await this.failedLogins.assertAllowed(principal.subjectId, device.ip);
    for (const { emailKey: email } of opened) assertPassword(next, email);
    const hash = await this.hasher.hash(next);
    await this.database.atomically(null, async (tx, now) => {
      for (const id of ids.toSorted())
        await this.passwords.setPassword(tx, id, hash, now, principal.sessionId);
    });
  }

  listSessions(principal: Principal): Promise<Session[]> {
    return this.sessions.list(principal);
  }

  endSession(principal: Principal, sessionId: string): Promise<void> {
    return this.sessions.end(principal, sessionId);
  }

  /** Those that the password opens. A failure always costs the same number of comparisons. */
  private async opened(password: string, candidates: readonly Credential[]): Promise<Credential[]> {
    const hashes = candidates.map(({ passwordHash }) => passwordHash);
    const matching = await this.hasher.matching(password, hashes, COMPARISONS);
    return candidates.filter(({ passwordHash }) => matching.includes(passwordHash));
  }

  /**
   * Hashes are compared outside any transaction, since that takes long. So what was compared is locked and looked at
   * again here: a suspension or a change of password commits before this, or waits and ends the new session.
   * @returns null when a hash changed meanwhile
   */
  private openSession(opened: readonly Credential[], device: Device): Promise<OpenSession | null> {
    return this.database.atomically(null, async (tx, now) => {
      const present = await this.credentials.lockForSignIn(
        tx,
        opened.map((credential) => credential.subjectId),
      );
      const compared = new Set(opened.map((credential) => credential.passwordHash));
      if (present.length < opened.length || present.some(({ passwordHash }) => !compared.has(passwordHash)))
        return null;
      const allowed = present.filter((credential) => !credential.barred);
      if (allowed.length === 0)
        throw new Refusal('unauthorized', 'This sign-in is suspended, pending or closed.');
      return this.sessions.open(tx, allowed, device, now);
    });
  }

  private async rehashOutdated(opened: readonly Credential[], password: string): Promise<void> {
    for (const { subjectId, passwordHash } of opened) {
      if (!this.hasher.isOutdated(passwordHash)) continue;
      try {
        await this.credentials.rehash(subjectId, passwordHash, await this.hasher.hash(password));
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return; // Too many hashes wait. The session is open already, and the next login tries again.
      }
    }
  }

  private async tokens({ session, refreshToken }: OpenSession): Promise<Tokens> {
    const principal = session.principal();
    const user = session.userId
      ? await this.subjects.describe('user', session.userId)
      : await this.subjects.describe('account', principal.subjectId);
    if (user === null) throw new Refusal('unauthorized', 'This user was deleted a moment ago.');
    return {
      accessToken: this.accessTokens.sign(principal, this.clock.now()),
      refreshToken,
      expiresInSeconds: this.accessTokens.lifetimeSeconds,
      user,
    };
  }
}
