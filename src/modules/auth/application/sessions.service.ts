import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { PageRequest } from '../../../kernel/pages';
import { Actor, AuditTrail, Device, systemActor } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Principal } from '../domain/principal';
import { RecentLogin } from '../domain/recent-login';
import { hashRefreshToken, RefreshToken } from '../domain/refresh-token';
import { Admission } from '../domain/second-factor-check';
import { Session } from '../domain/session';
import { Sessions, OpenSession } from '../domain/sessions';
import { assertNotTooDeep, SessionsRepository } from '../domain/sessions.repository';

/** Rows of expired sessions are kept this long, so that incidents can be investigated. */
const KEPT_AFTER_EXPIRY_DAYS = 30;
const EXPIRED_BATCH = 1_000;

/** Expired sessions end this much later, so that a replica whose clock is ahead ends none that others still accept. */
const ENDED_AFTER_EXPIRY_MS = HOUR_MS;

/** The unused refresh tokens that one session can get within the grace period by using refresh tokens again. */
const MAX_BRANCHES = 50;

@Injectable()
export class SessionsService extends Sessions {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly audit: AuditTrail,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly recentLogin: RecentLogin,
    private readonly refreshReuseGraceSeconds: number,
    private readonly maxSessions: number,
  ) {
    super();
  }

  async principalOf(sessionId: string, device: Device): Promise<Principal | null> {
    const session = await this.repository.find(sessionId);
    return session?.isLive(this.clock.now()) ? session.principal(device) : null;
  }

  open(
    tx: Tx,
    { credentials, secondFactor }: Admission,
    device: Device,
    now: Date,
    consoleIdleSeconds: number | null,
  ): OpenSession {
    const session = Session.open(credentials, device, now, secondFactor, consoleIdleSeconds);
    this.repository.add(tx, session);
    this.repository.endOldest(tx, session, this.maxSessions, now);
    const principal = session.principal(device);
    const { subjectId: objectId, accountId } = principal;
    this.audit.record(tx, principal, { action: 'login', objectId, accountId });
    return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
  }

  async refresh(token: string, consoleIdleSeconds: number | null): Promise<OpenSession> {
    const hash = hashRefreshToken(token);
    const found = await this.repository.findRefreshToken(hash);
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

  async list(principal: Principal, page: PageRequest): Promise<Session[]> {
    assertNotTooDeep(page);
    return this.repository.findLive(principal, this.clock.now(), page);
  }

  async end(principal: Principal, sessionId: string | null): Promise<void> {
    if (sessionId !== principal.sessionId) this.recentLogin.assert(principal);
    await this.database.transaction(async (tx, now) => {
      const isWellFormed = sessionId !== null && isId('ses', sessionId);
      const session = isWellFormed ? await this.repository.lock(tx, sessionId) : null;
      if (session === null || !session.belongsTo(principal) || !session.isLive(now)) {
        throw new DomainError('invalid_session', 'You have no live session with this id.');
      }
      session.end(now);
      this.repository.save(tx, session);
      this.recordEnd(tx, principal, session);
    });
  }

  async endConsoleSession(token: string, device: Device): Promise<void> {
    const found = await this.repository.findRefreshToken(hashRefreshToken(token));
    if (found === null) return;
    await this.database.transaction(async (tx, now) => {
      const session = await this.repository.lock(tx, found.sessionId);
      if (!session?.isConsole || !session.isLive(now)) return;
      session.end(now);
      this.repository.save(tx, session);
      this.recordEnd(tx, session.principal(device), session);
    });
  }

  async endExpired(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - ENDED_AFTER_EXPIRY_MS);
    return (await this.repository.endExpired(before, EXPIRED_BATCH)) === EXPIRED_BATCH;
  }

  async deleteExpired(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - KEPT_AFTER_EXPIRY_DAYS * DAY_MS);
    return (await this.repository.deleteExpired(before, EXPIRED_BATCH)) === EXPIRED_BATCH;
  }

  /** @returns null for a token that is not accepted */
  private async refreshIn(
    tx: Tx,
    sessionId: string,
    hash: string,
    now: Date,
    consoleIdleSeconds: number | null,
  ): Promise<OpenSession | null> {
    const session = await this.repository.lock(tx, sessionId);
    const record = await this.repository.lockRefreshToken(tx, hash);
    if (session === null || record === null || !session.isLive(now)) return null;
    if (session.isConsole !== (consoleIdleSeconds !== null)) return null;
    const isRepeat = record.usedAt !== null;
    if (!record.use(now, this.refreshReuseGraceSeconds)) {
      session.end(now);
      this.repository.save(tx, session);
      this.recordEnd(tx, systemActor, session, 'refresh_token_reuse');
      return null;
    }
    // Only now, or a thief with many branches would keep the owner's repeat from ending the session.
    if (isRepeat) await this.assertFewBranches(tx, session, now);
    session.use(now, consoleIdleSeconds);
    this.repository.save(tx, session);
    this.repository.saveRefreshToken(tx, record);
    return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
  }

  private recordEnd(tx: Tx, actor: Actor, { id, accountId }: Session, cause?: string): void {
    this.audit.record(tx, actor, { action: 'session.end', objectId: id, accountId, details: { cause } });
  }

  /** @throws DomainError `rate_limited` */
  private async assertFewBranches(tx: Tx, { id }: Session, now: Date): Promise<void> {
    const graceStart = new Date(now.getTime() - this.refreshReuseGraceSeconds * SECOND_MS);
    if ((await this.repository.countUnusedRefreshTokens(tx, id, graceStart)) < MAX_BRANCHES) return;
    throw new DomainError(
      'rate_limited',
      'This refresh token has been used too often. Use the newest one.',
      Math.max(1, this.refreshReuseGraceSeconds),
    );
  }

  private issueRefreshToken(tx: Tx, session: Session, now: Date): string {
    const { token, record } = RefreshToken.issue(session.id, now);
    this.repository.addRefreshToken(tx, record);
    return token;
  }
}

function unauthorized(): DomainError {
  return new DomainError('unauthorized', 'The refresh token is invalid or expired. Log in again.');
}
