import { createHash, createSecretKey, KeyObject } from 'node:crypto';
import { JwtService } from '@nestjs/jwt';
import { SECOND_MS } from '../../../kernel/clock';
import { Principal } from '../domain/principal';

export const TOKEN_ISSUER = 'countinghouse';
export const TOKEN_AUDIENCE = 'countinghouse-api';
export const TOKEN_ALGORITHM = 'HS256';
/** RFC 9068's type: no other token of ours or of anyone else passes for an access token. */
const TOKEN_TYPE = 'at+jwt';

/** The claims of an access token. `sid` names the session, whose row decides everything else. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly sid: string;
  readonly iat: number;
  readonly exp: number;
}

/** What a token says of itself before anything of it is verified. */
export interface TokenHeader {
  readonly kid?: unknown;
  readonly typ?: unknown;
}

interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** Signs access tokens with the first secret, and knows the keys of all, so that secrets can be rotated. */
export class AccessTokens {
  private readonly keys: readonly SigningKey[];

  constructor(
    private readonly jwt: JwtService,
    secrets: readonly string[],
    readonly lifetimeSeconds: number,
  ) {
    this.keys = secrets.map((secret) => ({
      kid: createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8),
      // A KeyObject: a string would be tried as a public key first, at fifty times the cost.
      key: createSecretKey(Buffer.from(secret)),
    }));
  }

  sign(principal: Principal, now: Date): string {
    const { kid, key } = this.keys[0]!;
    const iat = Math.floor(now.getTime() / SECOND_MS);
    const claims: AccessTokenClaims = {
      sub: principal.subjectId,
      sid: principal.sessionId,
      iat,
      exp: iat + this.lifetimeSeconds,
    };
    return this.jwt.sign(claims, {
      secret: key as unknown as string, // the options' type knows only strings and buffers, the signer takes keys
      algorithm: TOKEN_ALGORITHM,
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      header: { alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid },
    });
  }

  /** The key that a token's header names, or null when it names none of ours or is of another type. */
  keyOf(header: TokenHeader): KeyObject | null {
    if (header.typ !== TOKEN_TYPE) return null;
    return this.keys.find(({ kid }) => kid === header.kid)?.key ?? null;
  }
}
