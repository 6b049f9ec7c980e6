import { createHash, randomBytes } from 'node:crypto';

/** Returns a new token of 256 random bits. */
export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

/** What is stored of a token or an API key. A fast hash is sufficient, because both have 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
