import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { KeyObject, randomUUID } from 'node:crypto';
import passport from 'passport';
import { ExtractJwt, Strategy } from 'passport-jwt';
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

/** Verifies an access token and reads the one row that decides: its session. */
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
      jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
      // The verifier asks for the key with the header that it has parsed. The type knows only strings and buffers.
      secretOrKey: keyFor as unknown as string,
      algorithms: [TOKEN_ALGORITHM],
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      ignoreExpiration: true, // checked below, by the service's clock
    });
    // passport keeps one list of names for the whole process; two services in one must not answer for each other.
    this.name = `jwt-${randomUUID()}`;
    passport.use(this);
  }

  /** @returns the principal, or null for a token that has expired or whose session is over */
  async validate(claims: AccessTokenClaims): Promise<Principal | null> {
    const { sub, sid, exp } = claims;
    if (typeof exp !== 'number' || this.clock.now().getTime() >= exp * SECOND_MS) return null;
    if (typeof sid !== 'string' || !isId('ses', sid)) return null;
    const principal = await this.sessions.principalOf(sid);
    return principal?.subjectId === sub ? principal : null;
  }
}
