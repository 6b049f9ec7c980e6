import { Body, Controller, Delete, Get, Post, UseGuards } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/operation';
import { AuthService } from '../application/auth.service';
import { Principal } from '../domain/principal';
import { Device } from '../domain/session';
import {
  ChangePasswordRequest,
  EndedSessionAnswer,
  EndSessionRequest,
  LoginRequest,
  MessageAnswer,
  RefreshRequest,
  sessionAnswer,
  SessionsAnswer,
  tokensAnswer,
  TokensAnswer,
} from './auth.dto';
import { Caller, CallingDevice } from './caller';
import { HttpsGuard } from './https.guard';

/** Interface 4.1, and the operations on sessions that go beyond it. */
@ApiTags('Authentication')
@Controller('v1/auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('login')
  @UseGuards(HttpsGuard)
  @Operation({
    id: 'login',
    summary: 'Log in',
    access: 'public',
    refusals: ['invalid_credentials', 'unauthorized'],
    answers: { status: 200, type: TokensAnswer, description: 'A new session.' },
  })
  async logIn(
    @Body() { email, password }: LoginRequest,
    @CallingDevice() device: Device,
  ): Promise<TokensAnswer> {
    return tokensAnswer(await this.auth.logIn(email, password, device));
  }

  @Post('refresh')
  @UseGuards(HttpsGuard)
  @Operation({
    id: 'refreshTokens',
    summary: 'Exchange a refresh token for new tokens',
    access: 'public',
    refusals: ['unauthorized'],
    description:
      'Each refresh token works once, and for some seconds more, so that a lost answer logs nobody out. Used later it ends the session.',
    answers: { status: 200, type: TokensAnswer, description: 'The next tokens of the same session.' },
  })
  async refresh(@Body() { refresh_token }: RefreshRequest): Promise<TokensAnswer> {
    return tokensAnswer(await this.auth.refresh(refresh_token));
  }

  @Post('password')
  @UseGuards(HttpsGuard)
  @Operation({
    id: 'changePassword',
    summary: 'Change the password',
    access: 'required',
    refusals: ['invalid_credentials'],
    description:
      "Of all that the session's own password opened: the user, the account, or both. Other sessions end.",
    answers: { status: 200, type: MessageAnswer, description: 'It was changed.' },
  })
  async changePassword(
    @Body() { current_password, password }: ChangePasswordRequest,
    @Caller() caller: Principal,
    @CallingDevice() device: Device,
  ): Promise<MessageAnswer> {
    await this.auth.changePassword(caller, current_password, password, device);
    return { message: 'The password was changed. Other sessions have ended.' };
  }

  @Get('sessions')
  @Operation({
    id: 'listSessions',
    summary: "List one's live sessions",
    access: 'required',
    refusals: [],
    answers: { status: 200, type: SessionsAnswer, description: 'Newest first.' },
  })
  async listSessions(@Caller() caller: Principal): Promise<SessionsAnswer> {
    const sessions = await this.auth.listSessions(caller);
    return { data: sessions.map((session) => sessionAnswer(session, caller.sessionId)) };
  }

  @Delete('session')
  @Operation({
    id: 'endSession',
    summary: 'Log out',
    access: 'required',
    optionalBody: EndSessionRequest,
    refusals: ['invalid_session'],
    description: 'Ends the named session of yours, or the present one. Its tokens are refused from then on.',
    answers: { status: 200, type: EndedSessionAnswer, description: 'It has ended.' },
  })
  async endSession(
    @Body() { session_id }: EndSessionRequest,
    @Caller() caller: Principal,
  ): Promise<EndedSessionAnswer> {
    await this.auth.endSession(caller, session_id ?? caller.sessionId);
    return { message: 'The session has ended.', ...(session_id !== undefined && { session_id }) };
  }
}
