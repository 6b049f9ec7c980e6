import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import { FastifyRequest } from 'fastify';
import { KeyObject, randomUUID } from 'node:crypto';
import passport from 'passport';
import { Strategy } from 'passport-jwt';
import { Clock, SECOND_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
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
import { ApiKeyCheck, isApiKey } from '../domain/api-key-check';
import { Principal } from '../domain/principal';
import { readBearerToken, TokenSessions } from './token-sessions';
import { deviceOf } from './caller';

/** Verifies an access token and reads the principal from the session's row; an API key has a row of its own kind. */
@Injectable()
export class JwtStrategy extends PassportStrategy(Strategy) {
  constructor(
    private readonly accessTokens: AccessTokens,
    private readonly sessions: Sessions,
    private readonly clock: Clock,
    private readonly apiKeys: ApiKeyCheck,
    private readonly tokenSessions: TokenSessions,
  ) {
    const keyFor = (header: TokenHeader, done: (error: Error | null, key?: KeyObject) => void): void => {
      const key = accessTokens.findKey(header);
      if (key === null) done(new Error('unknown key'));
      else done(null, key);
    };
    super({
      jwtFromRequest: readBearerToken,
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

  override authenticate(...[request, options]: Parameters<Strategy['authenticate']>): void {
    const principal = this.findPrincipal(request as unknown as FastifyRequest);
    if (principal === null) return super.authenticate(request, options);
    principal.then(
      (found) => (found === null ? this.fail(401) : this.success(found)),
      (error: Error) => this.error(error),
    );
  }

  /** @returns null for a request whose token has to be verified first */
  private findPrincipal(request: FastifyRequest): Promise<Principal | null> | null {
    const token = readBearerToken(request);
    if (token === null) return null;
    if (isApiKey(token)) return this.authenticateKey(token, request);
    const claims = this.accessTokens.recall(token);
    return claims && this.readPrincipal(request, claims);
  }

  /** Is called for a token with a valid signature. @returns the principal, or null if the token does not work any more */
  validate(request: FastifyRequest, claims: AccessTokenClaims): Promise<Principal | null> {
    this.accessTokens.remember(readBearerToken(request)!, claims);
    return this.readPrincipal(request, claims);
  }

  /** @returns the principal, or null for an expired token or a session that is not live */
  private async readPrincipal(
    request: FastifyRequest,
    { sub, sid, exp }: AccessTokenClaims,
  ): Promise<Principal | null> {
    if (typeof exp !== 'number' || this.clock.now().getTime() >= exp * SECOND_MS) return null;
    if (typeof sid !== 'string' || !isId('ses', sid)) return null;
    const principal = await this.sessions.findPrincipal(sid, deviceOf(request));
    return principal?.subjectId === sub ? principal : null;
  }

  /** @throws DomainError `unauthorized`, `forbidden` */
  private async authenticateKey(key: string, request: FastifyRequest): Promise<Principal> {
    const hash = this.tokenSessions.hashKey(request, key);
    const principal = await this.apiKeys.authenticate(hash, deviceOf(request));
    if (principal === null)
      throw new DomainError('unauthorized', 'The API key is invalid, expired or revoked. Create a new one.');
    this.tokenSessions.accept(hash);
    return principal;
  }
}
