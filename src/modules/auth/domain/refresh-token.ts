import { createHash, randomBytes } from 'node:crypto';
import { SECOND_MS } from '../../../kernel/clock';
import type { FieldsOf } from '../../../kernel/entity';

/** The record of one refresh token of a session. Only a hash is stored; the token itself is sent once. */
export class RefreshToken {
  readonly hash: string;
  readonly sessionId: string;
  readonly createdAt: Date;
  usedAt: Date | null;

  private constructor(fields: FieldsOf<RefreshToken>) {
    Object.assign(this, fields);
  }

  /** @returns the token for the client, and its record to store */
  static issue(sessionId: string, now: Date): { token: string; record: RefreshToken } {
    const token = randomBytes(32).toString('base64url');
    const record = new RefreshToken({
      hash: hashRefreshToken(token),
      sessionId,
      createdAt: now,
      usedAt: null,
    });
    return { token, record };
  }

  /**
   * Marks the token as used. Reuse within the grace period is allowed: a response was lost, or two browser tabs share
   * the token. Later reuse indicates a stolen token, and the caller must end the session.
   * @returns whether the token is accepted
   */
  use(now: Date, graceSeconds: number): boolean {
    if (this.usedAt !== null) return now.getTime() - this.usedAt.getTime() <= graceSeconds * SECOND_MS;
    this.usedAt = now;
    return true;
  }
}

/** A fast hash is sufficient, because a token has 256 random bits. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
