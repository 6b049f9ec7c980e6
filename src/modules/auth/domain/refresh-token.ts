import { createHash, randomBytes } from 'node:crypto';
import { SECOND_MS } from '../../../kernel/clock';

/** One refresh token of a session. The token itself is only ever in the answer that gave it out. */
export class RefreshToken {
  readonly hash: string;
  readonly sessionId: string;
  readonly createdAt: Date;
  usedAt: Date | null;

  static issue(sessionId: string, now: Date): { token: string; record: RefreshToken } {
    const token = randomBytes(32).toString('base64url');
    const record = Object.assign(Object.create(RefreshToken.prototype) as RefreshToken, {
      hash: hashRefreshToken(token),
      sessionId,
      createdAt: now,
      usedAt: null,
    });
    return { token, record };
  }

  /**
   * Uses the token. A second use within the grace is a lost answer or a second tab; a later one means that somebody
   * else has the token, and the session must end.
   * @returns whether the token may be used now
   */
  use(now: Date, graceSeconds: number): boolean {
    if (this.usedAt !== null) return now.getTime() - this.usedAt.getTime() <= graceSeconds * SECOND_MS;
    this.usedAt = now;
    return true;
  }
}

/** 256 random bits need no slow hash. */
export function hashRefreshToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}
