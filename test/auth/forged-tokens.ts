import { createHash, createHmac } from 'node:crypto';

/** What an access token is made of, member by member, so that each can be forged. */
export interface TokenParts {
  readonly header: Record<string, unknown>;
  readonly claims: Record<string, unknown>;
}

export const encoded = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** The id under which the service knows a secret's key. */
export function keyId(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
}

export function partsOf(token: string): TokenParts {
  const [header, claims] = token.split('.').map((part) => Buffer.from(part, 'base64url').toString());
  return { header: JSON.parse(header!), claims: JSON.parse(claims!) };
}

/** A token with these parts, signed with HMAC. */
export function signed({ header, claims }: TokenParts, key: string | Buffer, hash = 'sha256'): string {
  const text = `${encoded(header)}.${encoded(claims)}`;
  return `${text}.${createHmac(hash, key).update(text).digest('base64url')}`;
}

/** The session that a token names. */
export const sessionOf = (token: string) => partsOf(token).claims['sid'] as string;
