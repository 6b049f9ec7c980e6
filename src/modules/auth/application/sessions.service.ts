import { Injectable } from '@nestjs/common';
import { Clock, DAY_MS, HOUR_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { PageRequest } from '../../../kernel/pages';
import { AuditEvent, AuditTrail, Device } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { SubjectKind } from '../domain/credential';
import { Credentials } from '../domain/credentials';
import { assertAdmin, assertBackOffice, Principal, RecentLogin } from '../domain/principal';
import { describeEnd, Session } from '../domain/session';
import { assertNotTooDeep, SessionFilter, SessionsRepository } from '../domain/sessions.repository';

/** Rows of expired sessions are kept this long, so that incidents can be investigated. */
const KEPT_AFTER_EXPIRY_DAYS = 30;
const EXPIRED_BATCH = 1_000;

/** Expired sessions end this much later, so that a replica whose clock is ahead ends none that others still accept. */
const ENDED_AFTER_EXPIRY_MS = HOUR_MS;

/** A user, whose own sessions are meant, or an account: all sessions that act for it, those of its users included. */
export interface SessionSubject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** Finds the sessions of requests, and lists and ends sessions: those of the caller, and for the back office those of any. */
@Injectable()
export class Sessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly repository: SessionsRepository,
    private readonly credentials: Credentials,
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
    const isOwn = (session: Session): boolean => session.belongsTo(principal);
    await this.endIf(isOwn, principal, sessionId, 'You have no live session with this id.');
  }

  /**
   * Returns one page of the live sessions of a subject, newest first, and records the read.
   * @throws DomainError `forbidden`, `not_found`; `invalid_request` for a page that is too far
   */
  async listOf(subject: SessionSubject, caller: Principal, page: PageRequest): Promise<Session[]> {
    assertNotTooDeep(page);
    await this.recordRead(caller, subject);
    return this.repository.findLiveOf(toFilter(subject), this.clock.now(), page);
  }

  /**
   * Reads all live sessions of a subject, a part at a time, and records the read.
   * @throws DomainError `forbidden`, `not_found`
   */
  async *walkOf(subject: SessionSubject, caller: Principal): AsyncIterable<readonly Session[]> {
    await this.recordRead(caller, subject);
    yield* this.repository.walkLiveOf(toFilter(subject), this.clock.now());
  }

  /**
   * Ends all sessions of a subject, also those of logins in progress.
   * @throws DomainError `forbidden`, `not_found`; `unauthorized` without a recent login
   */
  async endAllOf(subject: SessionSubject, caller: Principal): Promise<void> {
    await this.assertMayEnd(caller, subject);
    const { kind, id } = subject;
    await this.database.transaction(async (tx, now) => {
      if (kind === 'account') this.credentials.endSessionsOfAccount(tx, id, now);
      else await this.credentials.endOwnSessions(tx, id, now);
      this.audit.record(tx, caller, describeAction(subject, 'end_sessions'));
    });
  }

  /** @throws DomainError `forbidden`, `not_found`, `invalid_session`; `unauthorized` without a recent login */
  async endOneOf(subject: SessionSubject, caller: Principal, sessionId: string): Promise<void> {
    await this.assertMayEnd(caller, subject);
    const { kind, id } = subject;
    const isOfSubject = ({ userId, accountId }: Session): boolean =>
      (kind === 'user' ? userId : accountId) === id;
    await this.endIf(isOfSubject, caller, sessionId, `The ${kind} has no live session with this id.`);
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

  /** @throws DomainError `invalid_session` with the message */
  private async endIf(
    mayEnd: (session: Session) => boolean,
    caller: Principal,
    sessionId: string | null,
    message: string,
  ): Promise<void> {
    await this.database.transaction(async (tx, now) => {
      const isWellFormed = sessionId !== null && isId('ses', sessionId);
      const session = isWellFormed ? await this.repository.lock(tx, sessionId) : null;
      if (session === null || !mayEnd(session) || !session.isLive(now))
        throw new DomainError('invalid_session', message);
      session.end(now);
      this.repository.save(tx, session);
      this.audit.record(tx, caller, describeEnd(session));
    });
  }

  private async recordRead(caller: Principal, subject: SessionSubject): Promise<void> {
    assertBackOffice(caller, 'Only the back office can list the sessions of others.');
    await this.assertExists(subject);
    await this.audit.recordRead(caller, describeAction(subject, 'list_sessions'));
  }

  private async assertMayEnd(caller: Principal, subject: SessionSubject): Promise<void> {
    assertAdmin(caller, 'Only admins can end the sessions of others.');
    await this.assertExists(subject);
    this.recentLogin.assert(caller);
  }

  private async assertExists({ kind, id }: SessionSubject): Promise<void> {
    if (!(await this.credentials.exists(kind, id)))
      throw new DomainError('not_found', `There is no such ${kind}.`);
  }
}

function describeAction({ kind, id }: SessionSubject, verb: string): AuditEvent {
  return { action: `${kind}.${verb}`, objectId: id, accountId: kind === 'account' ? id : null };
}

function toFilter({ kind, id }: SessionSubject): SessionFilter {
  return kind === 'user' ? { userId: id } : { accountId: id };
}
