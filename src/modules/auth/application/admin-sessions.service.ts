import { Injectable } from '@nestjs/common';
import { Clock } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { PageRequest } from '../../../kernel/pages';
import { AuditEvent, AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { SubjectKind } from '../domain/credential';
import { Credentials } from '../domain/credentials';
import { assertAdmin, assertBackOffice, Principal, RecentLogin } from '../domain/principal';
import { describeEnd, Session } from '../domain/session';
import { assertNotTooDeep, SessionFilter, SessionsRepository } from '../domain/sessions.repository';

/** A user, whose own sessions are meant, or an account: all sessions that act for it, those of its users included. */
export interface SessionSubject {
  readonly kind: SubjectKind;
  readonly id: string;
}

/** The sessions of any user or account, for the back office: only admins end them. */
@Injectable()
export class AdminSessions {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly sessions: SessionsRepository,
    private readonly credentials: Credentials,
    private readonly recentLogin: RecentLogin,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Returns one page of the live sessions, newest first, and records the read.
   * @throws DomainError `forbidden`, `not_found`; `invalid_request` for a page that is too far
   */
  async list(caller: Principal, subject: SessionSubject, page: PageRequest): Promise<Session[]> {
    assertNotTooDeep(page);
    await this.recordRead(caller, subject);
    return this.sessions.findLiveOf(toFilter(subject), this.clock.now(), page);
  }

  /**
   * Reads all live sessions, a part at a time, and records the read.
   * @throws DomainError `forbidden`, `not_found`
   */
  async *walk(caller: Principal, subject: SessionSubject): AsyncIterable<readonly Session[]> {
    await this.recordRead(caller, subject);
    yield* this.sessions.walkLiveOf(toFilter(subject), this.clock.now());
  }

  /**
   * Ends all sessions, also those of logins in progress.
   * @throws DomainError `forbidden`, `not_found`; `unauthorized` without a recent login
   */
  async endAll(caller: Principal, subject: SessionSubject): Promise<void> {
    await this.assertMayEnd(caller, subject);
    this.recentLogin.assert(caller);
    const { kind, id } = subject;
    await this.database.transaction(async (tx, now) => {
      if (kind === 'account') this.credentials.endSessionsOfAccount(tx, id, now);
      else await this.credentials.endOwnSessions(tx, id, now);
      this.audit.record(tx, caller, describeAction(subject, 'end_sessions'));
    });
  }

  /** @throws DomainError `forbidden`, `not_found`, `invalid_session`; `unauthorized` without a recent login */
  async end(caller: Principal, subject: SessionSubject, sessionId: string): Promise<void> {
    await this.assertMayEnd(caller, subject);
    this.recentLogin.assert(caller);
    await this.database.transaction(async (tx, now) => {
      const session = isId('ses', sessionId) ? await this.sessions.lock(tx, sessionId) : null;
      const owner = subject.kind === 'user' ? session?.userId : session?.accountId;
      if (session === null || owner !== subject.id || !session.isLive(now)) {
        throw new DomainError('invalid_session', `The ${subject.kind} has no live session with this id.`);
      }
      session.end(now);
      this.sessions.save(tx, session);
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
