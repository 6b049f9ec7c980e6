import { DomainError } from '../../../kernel/domain-error';
import { FormatParam, IntegerParam, ListFormat } from '../../../platform/http/list-query';
import { EmailField, IdField, SecretField, StringField } from '../../../platform/http/request-fields';
import {
  countSchema,
  exampleId,
  IdResponseField,
  idSchema,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import type { Proof } from '../application/reauthentication';
import type { Tokens } from '../domain/logins';
import { passwordRule } from '../domain/passwords';
import type { Session } from '../domain/session';
import { OtpField } from '../second-factors/second-factors.dto';

const REFRESH_TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

export class LoginRequest {
  // Any string, because usernames are allowed. A value that matches nothing results in `invalid_credentials`.
  @StringField(0, 100_000, 'ada@example.com') email: string;
  @SecretField('The password in plain text.') password: string;
  @OtpField({ optional: true, inExample: false }) otp?: string;
}

export class RefreshRequest {
  @SecretField('The refresh token from the last login or refresh.', {}, REFRESH_TOKEN_EXAMPLE)
  refresh_token: string;
}

/** A change that asks for the current password or a code of the second factor: exactly one of the two. */
class ConfirmedRequest {
  @SecretField('The current password. Required unless `otp` is sent.', { optional: true })
  current_password?: string;

  @OtpField({ optional: true, inExample: false }) otp?: string;
}

/** @throws DomainError `invalid_request` unless the request has exactly one of the two */
export function toProof({ current_password: password, otp }: ConfirmedRequest): Proof {
  if (password !== undefined && otp === undefined) return { password };
  if (otp !== undefined && password === undefined) return { otp };
  throw new DomainError('invalid_request', 'Send either current_password or otp.');
}

export class ChangePasswordRequest extends ConfirmedRequest {
  @SecretField(`The new password. ${passwordRule}`) password: string;
}

export class ChangeEmailRequest extends ConfirmedRequest {
  @EmailField({ description: 'The new email.' }) email: string;
}

export class EndSessionRequest {
  @IdField('ses', { optional: true, inExample: false }) session_id?: string;
}

export class ListSessionsQuery {
  @IntegerParam(
    1,
    999_999_999,
    'The page number, starting at 1. A page that begins after 10,000 live sessions is rejected (`invalid_request`).',
  )
  page: number = 1;

  @IntegerParam(100, 100, 'The number of sessions per page.') limit: number = 100;
}

/** Of the sessions of a user or an account, for the back office. */
export class ListSubjectSessionsQuery extends ListSessionsQuery {
  @FormatParam('`csv` returns all live sessions.') format?: ListFormat;
}

export class SubjectResponse {
  @ResponseField({ example: exampleId('usr'), description: 'The id of the user or the account.' }) id: string;
  @ResponseField({ example: 'ada@example.com' }) email: string;
  @ResponseField({ nullable: true, example: 'Ada Lovelace' }) name: string | null;
}

export class TokensResponse {
  @ResponseField({
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2lnbmF0dXJl',
    description: 'A JWT. Send it in the header `Authorization: Bearer <access_token>`.',
  })
  access_token: string;

  @ResponseField({
    example: REFRESH_TOKEN_EXAMPLE,
    description: 'Valid for one use at `POST /v1/auth/refresh`.',
  })
  refresh_token: string;

  @ResponseField({ enum: ['Bearer'] }) token_type: 'Bearer';

  @ResponseField({
    ...countSchema,
    example: 900,
    description: 'The lifetime of the access token in seconds.',
  })
  expires_in: number;

  @ResponseField({ type: SubjectResponse }) user: SubjectResponse;
}

export function tokensResponse({ user, ...tokens }: Tokens): TokensResponse {
  return {
    access_token: tokens.accessToken,
    refresh_token: tokens.refreshToken,
    token_type: 'Bearer',
    expires_in: tokens.expiresInSeconds,
    user: { id: user.id, email: user.email, name: user.name },
  };
}

export class EndedSessionResponse {
  @ResponseField({ example: 'The session has ended.' }) message: string;

  @ResponseField({
    required: false,
    ...idSchema('ses'),
    description: 'Present if the request contained it.',
  })
  session_id?: string;
}

export class SessionResponse {
  @IdResponseField('ses') session_id: string;
  @Timestamp() created_at: string;
  @Timestamp('The time of the login or of the last refresh.') last_used_at: string;
  @Timestamp('Extended with each refresh.') expires_at: string;
  @ResponseField({ example: '203.0.113.7' }) ip: string;
  @ResponseField({ nullable: true, example: 'curl/8.5.0' }) user_agent: string | null;

  @ResponseField({
    type: 'boolean',
    example: true,
    description: 'Whether this session made the request.',
  })
  current: boolean;
}

export class SessionsResponse {
  @ResponseField({ type: [SessionResponse] }) data: SessionResponse[];
}

export class SubjectSessionResponse extends SessionResponse {
  @ResponseField({
    nullable: true,
    ...idSchema('usr'),
    description: 'The user who logged in; null when only an account did.',
  })
  user_id: string | null;
}

export class SubjectSessionsResponse {
  @ResponseField({ type: [SubjectSessionResponse] }) data: SubjectSessionResponse[];
}

export function subjectSessionResponse(session: Session, currentId: string | null): SubjectSessionResponse {
  return { ...sessionResponse(session, currentId), user_id: session.userId };
}

export function sessionResponse(session: Session, currentId: string | null): SessionResponse {
  return {
    session_id: session.id,
    created_at: session.createdAt.toISOString(),
    last_used_at: session.lastUsedAt.toISOString(),
    expires_at: session.expiresAt.toISOString(),
    ip: session.ip,
    user_agent: session.userAgent,
    current: session.id === currentId,
  };
}
