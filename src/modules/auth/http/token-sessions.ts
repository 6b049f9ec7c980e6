import { Injectable } from '@nestjs/common';
import { FastifyRequest } from 'fastify';
import { Clock } from '../../../kernel/clock';
import { AccessTokens } from '../application/access-tokens';
import { bearerTokenOf } from './bearer-token';

/** Finds the sessions of access tokens without the database, for what runs before AuthGuard. */
@Injectable()
export class TokenSessions {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly clock: Clock,
  ) {}

  /** Returns the id of the session that the request's token was issued for, or null without a verified token. */
  of(request: FastifyRequest): string | null {
    const token = bearerTokenOf(request);
    return token === null ? null : (this.accessTokens.verify(token, this.clock.now())?.sid ?? null);
  }
}
