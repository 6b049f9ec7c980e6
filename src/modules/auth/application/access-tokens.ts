import type { JwtService } from '@nestjs/jwt';
import { LRUCache } from 'lru-cache';
import { createSecretKey, type KeyObject } from 'node:crypto';
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

/** The verified tokens that are remembered, at about 600 bytes each: those that were used last. */
const MAX_VERIFIED = 10_000;

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
  /** A client sends its token with each request, and its signature stays valid. */
  private readonly verified = new LRUCache<string, AccessTokenClaims>({ max: MAX_VERIFIED });

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
    const claims = this.recall(token) ?? this.verifySignature(token, now);
    return claims === null || now.getTime() >= claims.exp * SECOND_MS ? null : claims;
  }

  /** Returns the claims of a token whose signature was verified before, or null. It may have expired since. */
  recall(token: string): AccessTokenClaims | null {
    return this.verified.get(token) ?? null;
  }

  /** Remembers the claims of a token whose signature is valid. */
  remember(token: string, claims: AccessTokenClaims): void {
    this.verified.set(token, claims);
  }

  private verifySignature(token: string, now: Date): AccessTokenClaims | null {
    const decoded = this.jwt.decode<{ header: TokenHeader } | null>(token, { complete: true });
    const key = this.findKey(decoded?.header);
    if (key === null) return null;
    try {
      const claims = this.jwt.verify<AccessTokenClaims>(token, {
        secret: key as unknown as string,
        algorithms: [TOKEN_ALGORITHM],
        issuer: TOKEN_ISSUER,
        audience: TOKEN_AUDIENCE,
        clockTimestamp: Math.floor(now.getTime() / SECOND_MS),
      });
      this.remember(token, claims);
      return claims;
    } catch {
      return null;
    }
  }

  /** The verification key for a token, or null when its `kid` is unknown or its type is wrong. */
  findKey(header: TokenHeader | undefined): KeyObject | null {
    if (header?.typ !== TOKEN_TYPE) return null;
    return this.keys.find(({ kid }) => kid === header.kid)?.key ?? null;
  }
}
