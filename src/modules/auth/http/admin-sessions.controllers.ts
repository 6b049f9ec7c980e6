import { Controller, Delete, Get, Query, Type } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { pageOrCsv } from '../../../platform/http/csv-export';
import { IdParam, Operation } from '../../../platform/http/operation';
import { MessageResponse } from '../../../platform/http/response-fields';
import { Sessions, SessionSubject } from '../application/sessions.service';
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

export const UserSessionsController = sessionsController('user', 'usr', {
  all: 'sessions of a user',
  one: 'session of a user',
  listed: '',
  ended: 'The user can log in again.',
});

export const AccountSessionsController = sessionsController('account', 'acc', {
  all: 'sessions that act for an account',
  one: 'session that acts for an account',
  listed: ' Contains the sessions of the account itself, of its owner and of its members.',
  ended: 'The account, its owner and its members can log in again.',
});

/** Creates the controller of the sessions of users or of accounts, for the back office: only admins end them. */
function sessionsController(
  kind: SessionSubject['kind'],
  prefix: 'usr' | 'acc',
  texts: Readonly<Record<'all' | 'one' | 'listed' | 'ended', string>>,
): Type {
  const noun = kind === 'user' ? 'User' : 'Account';
  const SubjectId = (): ParameterDecorator => IdParam(`${kind}_id`, prefix, `The id of the ${kind}.`);

  @ApiTags('Authentication')
  @Controller(`v1/${kind}s/:${kind}_id/sessions`)
  class SubjectSessionsController {
    constructor(private readonly sessions: Sessions) {}

    @Get()
    @Operation({
      id: `list${noun}Sessions`,
      summary: `List the ${texts.all}`,
      errors: ['not_found'],
      description: `For admins and support people.${texts.listed}`,
      response: {
        type: SubjectSessionsResponse,
        description: 'One page of the live sessions, newest first.',
      },
      alsoAs: ['text/csv'],
    })
    list(@Caller() caller: Principal, @SubjectId() id: string, @Query() query: ListSubjectSessionsQuery) {
      const render = (session: Session) => subjectSessionResponse(session, caller.sessionId);
      return pageOrCsv(query, {
        itemType: SubjectSessionResponse,
        page: async () => ({ data: (await this.sessions.listOf({ kind, id }, caller, query)).map(render) }),
        walk: () => this.sessions.walkOf({ kind, id }, caller),
        render: (sessions) => sessions.map(render),
      });
    }

    @Delete()
    @Operation({
      id: `end${noun}Sessions`,
      summary: `End all ${texts.all}`,
      errors: ['not_found'],
      description: `For admins. ${texts.ended}`,
      response: { type: MessageResponse, description: 'All sessions have ended.' },
    })
    async endAll(@Caller() caller: Principal, @SubjectId() id: string) {
      await this.sessions.endAllOf({ kind, id }, caller);
      return { message: 'All sessions have ended.' };
    }

    @Delete(':session_id')
    @Operation({
      id: `end${noun}Session`,
      summary: `End one ${texts.one}`,
      errors: ['not_found', 'invalid_session'],
      description: 'For admins.',
      response: { type: EndedSessionResponse, description: 'The session has ended.' },
    })
    async end(
      @Caller() caller: Principal,
      @SubjectId() id: string,
      @IdParam('session_id', 'ses', 'The id of the session.') sessionId: string,
    ) {
      await this.sessions.endOneOf({ kind, id }, caller, sessionId);
      return { message: 'The session has ended.', session_id: sessionId };
    }
  }
  return SubjectSessionsController;
}
