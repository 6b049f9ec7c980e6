import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS } from '../../../kernel/clock';
import { isId } from '../../../kernel/ids';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Credential } from '../domain/credential';
import { Principal } from '../domain/principal';
import { hashRefreshToken, RefreshToken } from '../domain/refresh-token';
import { Device, Session } from '../domain/session';
import { SessionsOf, SessionsRepository } from '../domain/sessions.repository';

/** For how long the row of a session that is over stays, for whoever looks into a complaint. */
const KEPT_AFTER_EXPIRY_DAYS = 30;
const DELETE_BATCH = 1_000;

export interface OpenSession {
  readonly session: Session;
  readonly refreshToken: string;
}

/** Logins that are under way, from their opening to their end. */
@Injectable()
export class Sessions {
  constructor(
    private readonly repository: SessionsRepository,
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly refreshReuseGraceSeconds: number,
  ) {}

  /** The principal of a live session, or null. */
  async principalOf(sessionId: string): Promise<Principal | null> {
    const session = await this.repository.find(sessionId);
    return session?.isLive(this.clock.now()) ? session.principal() : null;
  }

  open(tx: Tx, opened: readonly Credential[], device: Device, now: Date): OpenSession {
    const session = Session.open(opened, device, now);
    this.repository.add(tx, session);
    return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
  }

  /**
   * Exchanges a refresh token for the next one of its session.
   * @throws Refusal `unauthorized` for a token that is unknown, whose session is over, or that was used before the
   * grace; the last ends the session.
   */
  async refresh(token: string): Promise<OpenSession> {
    const hash = hashRefreshToken(token);
    const found = await this.repository.findRefreshToken(hash);
    if (found === null) throw unauthorized();
    const refreshed = await this.database.atomically(null, async (tx, now) => {
      const session = await this.repository.lock(tx, found.sessionId);
      const record = await this.repository.lockRefreshToken(tx, hash);
      if (session === null || record === null || !session.isLive(now)) return null;
      if (!record.use(now, this.refreshReuseGraceSeconds)) {
        session.end(now);
        this.repository.save(tx, session);
        return null;
      }
      session.use(now);
      this.repository.save(tx, session);
      this.repository.saveRefreshToken(tx, record);
      return { session, refreshToken: this.issueRefreshToken(tx, session, now) };
    });
    if (refreshed === null) throw unauthorized();
    return refreshed;
  }

  /** One's live sessions, newest first. */
  list(principal: Principal): Promise<Session[]> {
    return this.repository.live(principal, this.clock.now());
  }

  /** Ends one of one's own sessions (interface 4.1). @throws Refusal `invalid_session` */
  async end(principal: Principal, sessionId: string): Promise<void> {
    await this.database.atomically(null, async (tx, now) => {
      const session = isId('ses', sessionId) ? await this.repository.lock(tx, sessionId) : null;
      if (session === null || !session.isOf(principal) || !session.isLive(now)) {
        throw new Refusal('invalid_session', 'There is no such live session of yours.');
      }
      session.end(now);
      this.repository.save(tx, session);
    });
  }

  /** Ends all of a principal's sessions, but the one given. They are refused from the commit on. */
  endOf(tx: Tx, of: SessionsOf, now: Date, exceptSessionId: string | null = null): void {
    this.repository.end(tx, of, now, exceptSessionId);
  }

  /** Deletes sessions that have been over for long. @returns whether there may be more */
  async deleteExpired(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - KEPT_AFTER_EXPIRY_DAYS * DAY_MS);
    return (await this.repository.deleteExpired(before, DELETE_BATCH)) === DELETE_BATCH;
  }

  private issueRefreshToken(tx: Tx, session: Session, now: Date): string {
    const { token, record } = RefreshToken.issue(session.id, now);
    this.repository.addRefreshToken(tx, record);
    return token;
  }
}

function unauthorized(): Refusal {
  return new Refusal('unauthorized', 'The refresh token is not valid. Log in again.');
}
