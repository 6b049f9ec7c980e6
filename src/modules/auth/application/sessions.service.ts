import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { PageRequest } from '../../../kernel/pages';
import { AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Principal, RecentLogin } from '../domain/principal';
import { describeEnd, Session } from '../domain/session';
import { assertNotTooDeep, SessionsRepository } from '../domain/sessions.repository';

/** Rows of expired sessions are kept this long, so that incidents can be investigated. */
const KEPT_AFTER_EXPIRY_DAYS = 30;
const EXPIRED_BATCH = 1_000;

/** Expired sessions end this much later, so that a replica whose clock is ahead ends none that others still accept. */
const ENDED_AFTER_EXPIRY_MS = HOUR_MS;

/** Finds the sessions of requests, and lists and ends sessions. */
@Injectable()
export class Sessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: SessionsRepository,
    private readonly recentLogin: RecentLogin,
    private readonly audit: AuditTrail,
  ) {}

  /** Returns the principal of a session, or null when the session is not live. @param device of the request */
  async findPrincipal(sessionId: string, device: Device): Promise<Principal | null> {
    const session = await this.repository.find(sessionId);
    return session?.isLive(this.clock.now()) ? session.principal(device) : null;
  }

  /**
   * Returns one page of the caller's live sessions, newest first.
   * @throws DomainError `invalid_request` for a page that is too far
   */
  async list(principal: Principal, page: PageRequest): Promise<Session[]> {
    assertNotTooDeep(page);
    return this.repository.findLive(principal, this.clock.now(), page);
  }

  /**
   * Ends one of the caller's sessions (interface 4.1).
   * @throws DomainError `invalid_session`; `unauthorized` for another session than the current one, without a recent login
   */
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
      this.audit.record(tx, principal, describeEnd(session));
    });
  }

  /** Ends a batch of sessions that expired an hour ago, so that lists do not read them. @returns whether there may be more */
  async endExpired(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - ENDED_AFTER_EXPIRY_MS);
    return (await this.repository.endExpired(before, EXPIRED_BATCH)) === EXPIRED_BATCH;
  }

  /** Deletes a batch of sessions that expired long ago. @returns whether there may be more */
  async deleteExpired(now: Date): Promise<boolean> {
    const before = new Date(now.getTime() - KEPT_AFTER_EXPIRY_DAYS * DAY_MS);
    return (await this.repository.deleteExpired(before, EXPIRED_BATCH)) === EXPIRED_BATCH;
  }
}
