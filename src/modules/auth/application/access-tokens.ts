import type { JwtService } from '@nestjs/jwt';
import type { KeyObject } from 'node:crypto';
import { createSecretKey } from 'node:crypto';
import { SECOND_MS } from '../../../kernel/clock';
import { keyIdOf } from '../../../platform/config/secrets.settings';

export const TOKEN_ISSUER = 'countinghouse';
export const TOKEN_AUDIENCE = 'countinghouse-api';
export const TOKEN_ALGORITHM = 'HS256';
/** The type that RFC 9068 defines. A token of any other type is not accepted as an access token. */
const TOKEN_TYPE = 'at+jwt';

/** The claims of an access token. `sid` is the id of the session; everything else is read from the session's row. */
export interface AccessTokenClaims {
  readonly sub: string;
  readonly sid: string;
  readonly iat: number;
  readonly exp: number;
}

/** The header of a token that is not verified yet. */
export interface TokenHeader {
  readonly kid?: unknown;
  readonly typ?: unknown;
}

interface SigningKey {
  readonly kid: string;
  readonly key: KeyObject;
}

/** Signs access tokens with the first secret and verifies them with any of the secrets, so that they can be rotated. */
export class AccessTokens {
  private readonly keys: readonly SigningKey[];

  constructor(
    private readonly jwt: JwtService,
    secrets: readonly string[],
    readonly lifetimeSeconds: number,
  ) {
    this.keys = secrets.map((secret) => ({
      kid: keyIdOf(secret),
      // A string would first be parsed as a public key on every call, which is about 50 times slower.
      key: createSecretKey(Buffer.from(secret)),
    }));
  }

  /** Returns a signed JWT (RFC 7519) for the principal's session. */
  sign(principal: { readonly subjectId: string; readonly sessionId: string }, now: Date): string {
    const { kid, key } = this.keys[0]!;
    const iat = Math.floor(now.getTime() / SECOND_MS);
    const claims: AccessTokenClaims = {
      sub: principal.subjectId,
      sid: principal.sessionId,
      iat,
      exp: iat + this.lifetimeSeconds,
    };
    return this.jwt.sign(claims, {
      secret: key as unknown as string, // the type omits KeyObject, but the signer accepts it
      algorithm: TOKEN_ALGORITHM,
      issuer: TOKEN_ISSUER,
      audience: TOKEN_AUDIENCE,
      header: { alg: TOKEN_ALGORITHM, typ: TOKEN_TYPE, kid },
    });
  }

  /** Returns the claims of a token with a valid signature that has not expired, or null. Its session may have ended. */
  verify(token: string, now: Date): AccessTokenClaims | null {
    const key = this.keyOf(
      this.jwt.decode<{ header: TokenHeader } | null>(token, { complete: true })?.header,
    );
    if (key === null) return null;
    try {
      return this.jwt.verify<AccessTokenClaims>(token, {
        secret: key as unknown as string,
        algorithms: [TOKEN_ALGORITHM],
        issuer: TOKEN_ISSUER,
        audience: TOKEN_AUDIENCE,
        clockTimestamp: Math.floor(now.getTime() / SECOND_MS),
      });
    } catch {
      return null;
    }
  }

  /** The verification key for a token, or null when its `kid` is unknown or its type is wrong. */
  keyOf(header: TokenHeader | undefined): KeyObject | null {
    if (header?.typ !== TOKEN_TYPE) return null;
    return this.keys.find(({ kid }) => kid === header.kid)?.key ?? null;
  }
}
