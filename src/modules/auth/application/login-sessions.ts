import { Inject, Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import {
  anonymousActor,
  AuditEvent,
  AuditOutcome,
  AuditTrail,
  Device,
  systemActor,
} from '../../../platform/audit/audit-trail';
import { Database, Tx, Work } from '../../../platform/database/database';
import { authSettings, AuthSettings } from '../auth.settings';
import { Credential, CredentialsRepository } from '../domain/credential';
import { describeEnd, ProvidedSignIn, RefreshToken, Session } from '../domain/session';
import { hashToken } from '../domain/secret-tokens';
import { SessionsRepository } from '../domain/sessions.repository';
import { Admission, RejectedCode, SecondFactorCodes } from '../second-factors/second-factor-codes.service';
import { PasswordSignIn } from '../single-sign-on/password-sign-in.service';

/** The unused refresh tokens that one session can get within the grace period by using refresh tokens again. */
const MAX_BRANCHES = 50;

/** A session and the refresh token that was just issued for it. */
export interface OpenSession {
  readonly session: Session;
  readonly refreshToken: string;
}

/** Why the right password opens no session. */
export type LoginRejection = 'disabled' | 'password_refused' | 'otp_required' | RejectedCode;

/** Opens sessions after the password was compared; refreshes and ends them by their refresh tokens. */
@Injectable()
export class LoginSessions {
  constructor(
    private readonly database: Database,
    private readonly credentials: CredentialsRepository,
    private readonly sessions: SessionsRepository,
    private readonly secondFactors: SecondFactorCodes,
    private readonly passwordSignIn: PasswordSignIn,
    private readonly audit: AuditTrail,
    @Inject(authSettings.token)
    private readonly settings: Pick<AuthSettings, 'maxSessions' | 'refreshReuseGraceSeconds'>,
  ) {}

  /**
   * Hashes are compared outside of a transaction because that is slow, so the credentials are locked and checked again
   * here. A concurrent suspension, or change of password or email, either has committed before, or waits and ends the new
   * session.
   *
   * Beyond the limit of live sessions of a user or an account, the oldest one ends.
   * @param filterAllowed returns those that the limits of failed logins permit
   * @returns `changed` when a password or an email has changed since the comparison; `disabled` when nothing may log in;
   * `password_refused` when nothing may with a password
   */
  open(
    matched: readonly Credential[],
    filterAllowed: (tx: Tx) => Promise<readonly Credential[]>,
    otp: string | undefined,
    device: Device,
    consoleIdleSeconds: number | null,
  ): Promise<OpenSession | 'changed' | LoginRejection> {
    const ids = matched.map(({ subjectId }) => subjectId);
    const inTransaction: Work<OpenSession | 'changed' | LoginRejection> = async (tx, now) => {
      const [all, factors, permitted] = await tx.together(
        () => this.credentials.lockForLogin(tx, ids),
        () => this.secondFactors.lock(tx, ids),
        () => filterAllowed(tx),
      );
      const locked = all.filter(({ subjectId }) => permitted.some((each) => each.subjectId === subjectId));
      const isUnchanged = ({ passwordHash, emailKey }: Credential): boolean =>
        permitted.some((each) => each.passwordHash === passwordHash && each.emailKey === emailKey);
      if (locked.length < permitted.length || !locked.every(isUnchanged)) return 'changed';
      const enabled = locked.filter((credential) => !credential.disabled);
      if (enabled.length === 0) {
        this.recordLogins(tx, locked, 'refused', device);
        return 'disabled';
      }
      const allowed = await this.passwordSignIn.filterAllowed(tx, enabled);
      if (allowed.length === 0) {
        this.recordLogins(tx, enabled, 'refused', device, { cause: 'password' });
        return 'password_refused';
      }
      const actor = anonymousActor(device);
      const admission = this.secondFactors.admit(tx, actor, allowed, factors, otp, now);
      if (typeof admission === 'object') return this.openFor(tx, admission, device, now, consoleIdleSeconds);
      this.recordLogins(tx, allowed, 'failed', device, { cause: admission });
      return admission;
    };
    // Nobody is authenticated yet, and logins of one user wait for each other.
    return this.database.runFor(ids[0]!, () => this.database.transaction(inTransaction));
  }

  /**
   * Opens a session of the console for a user who has signed in through a provider.
   * @returns null when the user may not log in
   */
  openThrough(
    provided: ProvidedSignIn,
    userId: string,
    device: Device,
    consoleIdleSeconds: number,
  ): Promise<OpenSession | null> {
    return this.database.transaction(async (tx, now) => {
      const credentials = await this.credentials.lockForLogin(tx, [userId]);
      if (credentials.every(({ disabled }) => disabled)) {
        this.recordLogins(tx, credentials, 'refused', device, { provider: provided.provider });
        return null;
      }
      const admission = { credentials, secondFactor: false };
      return this.openFor(tx, admission, device, now, consoleIdleSeconds, provided);
    });
  }

  /** Records a login whose password matches none of the candidates. */
  async recordMismatch(candidates: readonly Credential[], device: Device): Promise<void> {
    await this.database.transaction(async (tx) => this.recordLogins(tx, candidates, 'failed', device));
  }

  /** See `Logins.refresh`. */
  async refresh(token: string, consoleIdleSeconds: number | null): Promise<OpenSession> {
    const hash = hashToken(token);
    const found = await this.sessions.findRefreshToken(hash);
    if (found === null) throw unauthorized();
    // Nobody is authenticated yet, and refreshes of one session wait for each other.
    const refreshed = await this.database.runFor(found.sessionId, () =>
      this.database.transaction((tx, now) =>
        this.refreshIn(tx, found.sessionId, hash, now, consoleIdleSeconds),
      ),
    );
    if (refreshed === null) throw unauthorized();
    return refreshed;
  }

  /** See `Logins.endConsoleSession`. */
  async endConsoleSession(refreshToken: string, device: Device): Promise<string | null> {
    const found = await this.sessions.findRefreshToken(hashToken(refreshToken));
    if (found === null) return null;
    return this.database.transaction(async (tx, now) => {
      const session = await this.sessions.lock(tx, found.sessionId);
      if (!session?.isConsole || !session.isLive(now)) return null;
      session.end(now);
      this.sessions.save(tx, session);
      this.audit.record(tx, session.principal(device), describeEnd(session));
      return session.provider;
    });
  }

  private async openFor(
    tx: Tx,
    { credentials, secondFactor }: Admission,
    device: Device,
    now: Date,
    consoleIdleSeconds: number | null,
    provided: ProvidedSignIn | null = null,
  ): Promise<OpenSession> {
    const session = Session.open(credentials, device, now, secondFactor, consoleIdleSeconds, provided);
    const { accountId: actsFor, openedAccountId } = session;
    if (actsFor !== openedAccountId && actsFor !== null) {
      // The lock on the member's own credential makes it the version after a change in progress.
      const [owner] = await this.credentials.findBySubjects([actsFor], tx);
      session.pinTo(owner?.apiVersion ?? null);
    }
    this.sessions.add(tx, session);
    this.sessions.endOldest(tx, session, this.settings.maxSessions, now);
    const principal = session.principal(device);
    const { subjectId: objectId, accountId } = principal;
    const details = provided === null ? undefined : { provider: provided.provider };
    this.audit.record(tx, principal, { action: 'login', objectId, accountId, details });
    return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
  }

  /** Records a login that opened no session. An unknown email is left out: people type passwords in that field. */
  private recordLogins(
    tx: Tx,
    candidates: readonly Credential[],
    outcome: AuditOutcome,
    device: Device,
    details?: AuditEvent['details'],
  ): void {
    const objects = candidates.length > 0 ? candidates : [{ subjectId: null, accountId: null }];
    for (const { subjectId: objectId, accountId } of objects) {
      const event = { action: 'login', objectId, accountId, outcome, details };
      this.audit.record(tx, anonymousActor(device), event);
    }
  }

  /** @returns null for a token that is not accepted */
  private async refreshIn(
    tx: Tx,
    sessionId: string,
    hash: string,
    now: Date,
    consoleIdleSeconds: number | null,
  ): Promise<OpenSession | null> {
    const session = await this.sessions.lock(tx, sessionId);
    const record = await this.sessions.lockRefreshToken(tx, hash);
    if (session === null || record === null || !session.isLive(now)) return null;
    if (session.isConsole !== (consoleIdleSeconds !== null)) return null;
    if (await this.passwordSignIn.isWithdrawn(tx, session)) return this.end(tx, session, now, 'password');
    const isRepeat = record.usedAt !== null;
    if (!record.use(now, this.settings.refreshReuseGraceSeconds))
      return this.end(tx, session, now, 'refresh_token_reuse');
    // Only now, or a thief with many branches would keep the owner's repeat from ending the session.
    if (isRepeat) await this.assertFewBranches(tx, session, now);
    session.use(now, consoleIdleSeconds);
    this.sessions.save(tx, session);
    this.sessions.saveRefreshToken(tx, record);
    return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
  }

  private end(tx: Tx, session: Session, now: Date, cause: string): null {
    session.end(now);
    this.sessions.save(tx, session);
    this.audit.record(tx, systemActor, describeEnd(session, cause));
    return null;
  }

  /** @throws DomainError `rate_limited` */
  private async assertFewBranches(tx: Tx, { id }: Session, now: Date): Promise<void> {
    const { refreshReuseGraceSeconds } = this.settings;
    const graceStart = new Date(now.getTime() - refreshReuseGraceSeconds * SECOND_MS);
    if ((await this.sessions.countUnusedRefreshTokens(tx, id, graceStart)) < MAX_BRANCHES) return;
    throw new DomainError(
      'rate_limited',
      'This refresh token has been used too often. Use the newest one.',
      Math.max(1, refreshReuseGraceSeconds),
    );
  }

  private issueRefreshToken(tx: Tx, session: Session, now: Date): string {
    const { token, record } = RefreshToken.issue(session.id, now);
    this.sessions.addRefreshToken(tx, record);
    return token;
  }
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'The refresh token is invalid or expired. Log in again.');
}
