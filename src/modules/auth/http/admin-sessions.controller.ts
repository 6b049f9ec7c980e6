import { Controller, Delete, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { pageOrCsv } from '../../../platform/http/csv-export';
import { MessageResponse } from '../../../platform/http/response-fields';
import { IdParam, Operation } from '../../../platform/http/operation';
import { AdminSessions, SessionSubject } from '../application/admin-sessions.service';
import { Principal } from '../domain/principal';
import { Session } from '../domain/session';
import {
  EndedSessionResponse,
  ListSubjectSessionsQuery,
  subjectSessionResponse,
  SubjectSessionResponse,
  SubjectSessionsResponse,
} from './auth.dto';
import { Caller } from './caller';

const UserId = () => IdParam('user_id', 'usr', 'The id of the user.');
const AccountId = () => IdParam('account_id', 'acc', 'The id of the account.');
const SessionId = () => IdParam('session_id', 'ses', 'The id of the session.');

const listed = { type: SubjectSessionsResponse, description: 'One page of the live sessions, newest first.' };
const allEnded = { type: MessageResponse, description: 'All sessions have ended.' };
const ended = { type: EndedSessionResponse, description: 'The session has ended.' };

/** The sessions of others, for the back office: only admins end them. */
@ApiTags('Authentication')
@Controller('v1')
export class AdminSessionsController {
  constructor(private readonly sessions: AdminSessions) {}

  @Get('users/:user_id/sessions')
  @Operation({
    id: 'listUserSessions',
    summary: 'List the sessions of a user',
    errors: ['not_found'],
    description: 'For admins and support people.',
    response: listed,
    alsoAs: ['text/csv'],
  })
  listOfUser(@Caller() caller: Principal, @UserId() id: string, @Query() page: ListSubjectSessionsQuery) {
    return this.list(caller, { kind: 'user', id }, page);
  }

  @Get('accounts/:account_id/sessions')
  @Operation({
    id: 'listAccountSessions',
    summary: 'List the sessions that act for an account',
    errors: ['not_found'],
    description:
      'For admins and support people. Contains the sessions of the account itself, of its owner and of its members.',
    response: listed,
    alsoAs: ['text/csv'],
  })
  listOfAccount(
    @Caller() caller: Principal,
    @AccountId() id: string,
    @Query() page: ListSubjectSessionsQuery,
  ) {
    return this.list(caller, { kind: 'account', id }, page);
  }

  @Delete('users/:user_id/sessions')
  @Operation({
    id: 'endUserSessions',
    summary: 'End all sessions of a user',
    errors: ['not_found'],
    description: 'For admins. The user can log in again.',
    response: allEnded,
  })
  endAllOfUser(@Caller() caller: Principal, @UserId() id: string) {
    return this.endAll(caller, { kind: 'user', id });
  }

  @Delete('accounts/:account_id/sessions')
  @Operation({
    id: 'endAccountSessions',
    summary: 'End all sessions that act for an account',
    errors: ['not_found'],
    description: 'For admins. The account, its owner and its members can log in again.',
    response: allEnded,
  })
  endAllOfAccount(@Caller() caller: Principal, @AccountId() id: string) {
    return this.endAll(caller, { kind: 'account', id });
  }

  @Delete('users/:user_id/sessions/:session_id')
  @Operation({
    id: 'endUserSession',
    summary: 'End one session of a user',
    errors: ['not_found', 'invalid_session'],
    description: 'For admins.',
    response: ended,
  })
  endOfUser(@Caller() caller: Principal, @UserId() id: string, @SessionId() sessionId: string) {
    return this.end(caller, { kind: 'user', id }, sessionId);
  }

  @Delete('accounts/:account_id/sessions/:session_id')
  @Operation({
    id: 'endAccountSession',
    summary: 'End one session that acts for an account',
    errors: ['not_found', 'invalid_session'],
    description: 'For admins.',
    response: ended,
  })
  endOfAccount(@Caller() caller: Principal, @AccountId() id: string, @SessionId() sessionId: string) {
    return this.end(caller, { kind: 'account', id }, sessionId);
  }

  private list(caller: Principal, subject: SessionSubject, query: ListSubjectSessionsQuery) {
    const render = (session: Session) => subjectSessionResponse(session, caller.sessionId);
    return pageOrCsv(query, {
      itemType: SubjectSessionResponse,
      page: async () => ({ data: (await this.sessions.list(caller, subject, query)).map(render) }),
      walk: () => this.sessions.walk(caller, subject),
      render: (sessions) => sessions.map(render),
    });
  }

  private async endAll(caller: Principal, subject: SessionSubject): Promise<MessageResponse> {
    await this.sessions.endAll(caller, subject);
    return { message: 'All sessions have ended.' };
  }

  private async end(
    caller: Principal,
    subject: SessionSubject,
    sessionId: string,
  ): Promise<EndedSessionResponse> {
    await this.sessions.end(caller, subject, sessionId);
    return { message: 'The session has ended.', session_id: sessionId };
  }
}
