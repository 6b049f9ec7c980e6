import { createHash, randomBytes } from 'node:crypto';
import { CustomErrorCode, DomainError } from '../../../kernel/domain-error';
import { FieldsOf } from '../../../kernel/entity';
import { MINUTE_MS } from '../../../kernel/clock';

export const PASSWORD_RESET_MINUTES = 60;

export const invalidResetToken = new CustomErrorCode(
  'invalid_reset_token',
  400,
  'The link to set a new password is unknown, has expired or was used.',
);

/**
 * The permission to set a new password for one user or one account. It never covers both that have an email: nobody
 * has verified that they belong to the same person. Only a hash of the token is stored.
 */
export class PasswordReset {
  readonly tokenHash: string;
  /** The id of the user or the account. */
  readonly subjectId: string;
  readonly expiresAt: Date;

  private constructor(fields: FieldsOf<PasswordReset>) {
    Object.assign(this, fields);
  }

  /** @returns the token for the link, and its record to store */
  static issue(subjectId: string, now: Date): { token: string; record: PasswordReset } {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + PASSWORD_RESET_MINUTES * MINUTE_MS);
    return { token, record: new PasswordReset({ tokenHash: hashResetToken(token), subjectId, expiresAt }) };
  }
}

/** A fast hash is sufficient, because a token has 256 random bits. */
export function hashResetToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function resetTokenError(): DomainError {
  return new DomainError(
    invalidResetToken,
    'This link is unknown, has expired or was used. Request a new one.',
  );
}
