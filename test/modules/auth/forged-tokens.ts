import { createHash, createHmac } from 'node:crypto';

/** The decoded parts of an access token. */
export interface TokenParts {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

export const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The key id that the service derives from a secret. */
export function keyId(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
}

export function partsOf(token: string): TokenParts {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header!), claims: JSON.parse(claims!) };
}

/** Encodes a token and signs it with HMAC. */
export function signed({ header, claims }: TokenParts, key: string | Buffer, hash = 'sha256'): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}

/** The session id in a token. */
export const sessionOf = (token: string) => partsOf(token).claims['sid'] as string;
