import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Device } from '../../../platform/audit/audit-trail';
import { MessageResponse } from '../../../platform/http/response-fields';
import { Operation } from '../../../platform/http/operation';
import { EmailChanges, PasswordChanges } from '../application/credential-changes.service';
import { Sessions } from '../application/sessions.service';
import { Logins } from '../domain/logins';
import { Principal } from '../domain/principal';
import {
  ChangeEmailRequest,
  ChangePasswordRequest,
  EndedSessionResponse,
  EndSessionRequest,
  ListSessionsQuery,
  LoginRequest,
  toProof,
  RefreshRequest,
  sessionResponse,
  SessionsResponse,
  tokensResponse,
  TokensResponse,
} from './auth.dto';
import { Caller, CallingDevice } from './caller';

/** The operations of interface 4.1, and further operations on sessions and passwords. */
@ApiTags('Authentication')
@Controller('v1/auth')
export class AuthController {
  constructor(
    private readonly logins: Logins,
    private readonly passwordChanges: PasswordChanges,
    private readonly emailChanges: EmailChanges,
    private readonly sessions: Sessions,
  ) {}

  @Post('login')
  @Operation({
    id: 'login',
    summary: 'Log in',
    access: 'public',
    errors: ['invalid_credentials', 'otp_required', 'unauthorized'],
    description:
      'With a second factor, send its code as `otp`. Without it, the response is `otp_required`, and only if the password is right.',
    response: { type: TokensResponse, description: 'The tokens of a new session.' },
  })
  async logIn(@Body() { email, password, otp }: LoginRequest, @CallingDevice() device: Device) {
    return tokensResponse(await this.logins.logIn(email, password, otp, device));
  }

  @Post('refresh')
  @Operation({
    id: 'refreshTokens',
    summary: 'Exchange a refresh token for new tokens',
    access: 'public',
    errors: ['unauthorized'],
    description:
      'Each refresh token is valid for one use, and for a few seconds after it, so that a client can retry when a response was lost. A later use ends the session.',
    response: { type: TokensResponse, description: 'New tokens of the same session.' },
  })
  async refresh(@Body() { refresh_token }: RefreshRequest) {
    return tokensResponse(await this.logins.refresh(refresh_token));
  }

  @Post('password')
  @Operation({
    id: 'changePassword',
    forSupport: true,
    summary: 'Change the password',
    errors: ['invalid_credentials'],
    description:
      'Changes the password of the user, the account or both that the session was opened with, and ends their other sessions. Asks for the current password, or for the code of the second factor if there is one.',
    response: { type: MessageResponse, description: 'The password was changed.' },
  })
  async changePassword(@Body() body: ChangePasswordRequest, @Caller() caller: Principal) {
    await this.passwordChanges.change(caller, toProof(body), body.password);
    return { message: 'The password was changed. Other sessions have ended.' };
  }

  @Post('email')
  @Operation({
    id: 'changeEmail',
    forSupport: true,
    summary: 'Change the email',
    errors: ['invalid_credentials', 'email_exists'],
    description:
      'Changes the email of the user, the account or both that the session was opened with, and ends their other sessions. Asks for the current password, or for the code of the second factor if there is one. While the account is suspended it is `forbidden`.',
    response: { type: MessageResponse, description: 'The email was changed.' },
  })
  async changeEmail(@Body() body: ChangeEmailRequest, @Caller() caller: Principal) {
    await this.emailChanges.change(caller, toProof(body), body.email);
    return { message: 'The email was changed. Other sessions have ended.' };
  }

  @Get('sessions')
  @Operation({
    id: 'listSessions',
    summary: 'List your sessions',
    duringEnrolment: true,
    response: { type: SessionsResponse, description: 'One page of the live sessions, newest first.' },
  })
  async listSessions(@Caller() caller: Principal, @Query() page: ListSessionsQuery) {
    const sessions = await this.sessions.list(caller, page);
    return { data: sessions.map((session) => sessionResponse(session, caller.sessionId)) };
  }

  @Delete('session')
  @Operation({
    id: 'endSession',
    forSupport: true,
    summary: 'Log out',
    duringEnrolment: true,
    optionalBody: EndSessionRequest,
    errors: ['invalid_session'],
    description:
      'Ends the given session, or the current session by default. Its tokens become invalid immediately. To end another session, production requires a login within the last 15 minutes (`unauthorized`).',
    response: { type: EndedSessionResponse, description: 'The session has ended.' },
  })
  async endSession(@Body() { session_id }: EndSessionRequest, @Caller() caller: Principal) {
    await this.sessions.end(caller, session_id ?? caller.sessionId);
    return { message: 'The session has ended.', ...(session_id !== undefined && { session_id }) };
  }
}
