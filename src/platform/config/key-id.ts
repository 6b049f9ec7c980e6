import { createHash } from 'node:crypto';

/** The id by which access tokens name the secret that signed them (`kid`). It does not disclose the secret. */
export function keyIdOf(secret: string): string {
  return createHash('sha256').update(`kid:${secret}`).digest('base64url').slice(0, 8);
}
