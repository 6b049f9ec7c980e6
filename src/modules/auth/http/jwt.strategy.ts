import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { KeyObject, randomUUID } from 'node:crypto';
import { FastifyRequest } from 'fastify';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { Clock, SECOND_MS } from '../../../kernel/clock';
import { isId } from '../../../kernel/ids';
import {
  AccessTokenClaims,
  AccessTokens,
  TOKEN_ALGORITHM,
  TOKEN_AUDIENCE,
  TOKEN_ISSUER,
  TokenHeader,
} from '../application/access-tokens';
import { Sessions } from '../application/sessions.service';
import { Principal } from '../domain/principal';
import { bearerTokenOf } from './bearer-token';
import { deviceOf } from './calling-device';

/** Verifies an access token and reads the principal from the session's row. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    accessTokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
  ) {
    const keyFor = (header: TokenHeader, done: (error: Error | null, key?: KeyObject) => void): void => {
      const key = accessTokens.keyOf(header);
      if (key === null) done(new Error('unknown key'));
      else done(null, key);
    };
    super({
      jwtFromRequest: bearerTokenOf,
      // The verifier calls this with the parsed header. The type declares only strings and buffers.
      secretOrKey: keyFor as unknown as string,
      algorithms: [TOKEN_ALGORITHM],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      passReqToCallback: true,
      ignoreExpiration: true, // checked in `validate`, with the injected clock
    });
    // passport's registry is global to the process, so each service instance needs a unique strategy name.
    this.name = `jwt-${randomUUID()}`;
    passport.use(this);
  }

  /** @returns the principal, or null for an expired token or a session that is not live */
  async validate(request: FastifyRequest, claims: AccessTokenClaims): Promise<Principal | null> {
    const { sub, sid, exp } = claims;
    if (typeof exp !== 'number' || this.clock.now().getTime() >= exp * SECOND_MS) return null;
    if (typeof sid !== 'string' || !isId('ses', sid)) return null;
    const principal = await this.sessions.principalOf(sid, deviceOf(request));
    return principal?.subjectId === sub ? principal : null;
  }
}
