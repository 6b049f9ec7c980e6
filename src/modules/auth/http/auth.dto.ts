import { Secret, Shown, Moment, Text, exampleId, Id } from '../../../platform/http/fields';
import { Tokens } from '../application/auth.service';
import { Session } from '../domain/session';

const REFRESH_TOKEN_EXAMPLE = '6sVt0qN2xH8yKc4rZ1mWb7pLd9fGjT3uXaReYiOoEwQ';

export class LoginRequest {
  // Any string: a username is allowed here, and what matches nothing is `invalid_credentials`.
  @Text(0, 100_000, 'ada@example.com')
  email: string;

  @Secret('The plaintext password.')
  password: string;
}

export class RefreshRequest {
  @Secret('The refresh token of the last login or refresh.', {}, REFRESH_TOKEN_EXAMPLE)
  refresh_token: string;
}

export class ChangePasswordRequest {
  @Secret('The present password.')
  current_password: string;

  @Secret('The new one: 8 characters to 72 bytes, none of the most common, not the email.')
  password: string;
}

export class EndSessionRequest {
  @Id('ses', { optional: true })
  session_id?: string;
}

export class SubjectAnswer {
  @Shown({ type: 'string', example: exampleId('usr') })
  id: string;

  @Shown({ type: 'string', example: 'ada@example.com' })
  email: string;

  @Shown({ type: 'string', nullable: true, example: 'Ada Lovelace' })
  name: string | null;
}

export class TokensAnswer {
  @Shown({
    type: 'string',
    example: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ1c3IifQ.c2lnbmF0dXJl',
    description: 'A JWT: send it as `Authorization: Bearer ...`.',
  })
  access_token: string;

  @Shown({
    type: 'string',
    example: REFRESH_TOKEN_EXAMPLE,
    description: 'Redeemed once, at `POST /v1/auth/refresh`.',
  })
  refresh_token: string;

  @Shown({ type: 'string', enum: ['Bearer'] })
  token_type: 'Bearer';

  @Shown({ type: 'integer', example: 900, description: 'Seconds that the access token lives.' })
  expires_in: number;

  @Shown({ type: SubjectAnswer })
  user: SubjectAnswer;
}

export function tokensAnswer({ accessToken, refreshToken, expiresInSeconds, user }: Tokens): TokensAnswer {
  return {
    access_token: accessToken,
    refresh_token: refreshToken,
    token_type: 'Bearer',
    expires_in: expiresInSeconds,
    user: { id: user.id, email: user.email, name: user.name },
  };
}

export class MessageAnswer {
  @Shown({ type: 'string', example: 'The password was changed. Other sessions have ended.' })
  message: string;
}

export class EndedSessionAnswer {
  @Shown({ type: 'string', example: 'The session has ended.' })
  message: string;

  @Shown({
    type: 'string',
    required: false,
    example: exampleId('ses'),
    description: 'Present when the request named it.',
  })
  session_id?: string;
}

export class SessionAnswer {
  @Shown({ type: 'string', example: exampleId('ses') })
  session_id: string;

  @Moment()
  created_at: string;

  @Moment('The last login or refresh.')
  last_used_at: string;

  @Moment('Moves with each refresh.')
  expires_at: string;

  @Shown({ type: 'string', example: '203.0.113.7' })
  ip: string;

  @Shown({ type: 'string', nullable: true, example: 'curl/8.5.0' })
  user_agent: string | null;

  @Shown({ type: 'boolean', example: true, description: 'Whether this is the session of the request.' })
  current: boolean;
}

export class SessionsAnswer {
  @Shown({ type: [SessionAnswer] })
  data: SessionAnswer[];
}

export function sessionAnswer(session: Session, currentId: string): SessionAnswer {
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
