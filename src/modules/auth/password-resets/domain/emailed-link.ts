import { createHash, randomBytes } from 'node:crypto';
import { MINUTE_MS } from '../../../../kernel/clock';
import { CustomErrorCode, DomainError } from '../../../../kernel/domain-error';
import type { FieldsOf } from '../../../../kernel/entity';

/** What a link is for. `email_verification`: to prove, with the password, that the email is one's own. */
export type LinkPurpose = 'password_reset' | 'email_verification';

/** How long links work. */
export const LINK_MINUTES: Readonly<Record<LinkPurpose, number>> = {
  password_reset: 60,
  email_verification: 24 * 60,
};

export const invalidResetToken = new CustomErrorCode(
  'invalid_reset_token',
  400,
  'The link to set a new password is unknown, has expired or was used.',
);

/**
 * A link that was sent to the email of one user or one account. It is never for both that have an email: nobody has
 * verified that they belong to the same person. Only a hash of the token is stored.
 */
export class EmailedLink {
  readonly tokenHash: string;
  /** The id of the user or the account. */
  readonly subjectId: string;
  readonly purpose: LinkPurpose;
  readonly expiresAt: Date;

  private constructor(fields: FieldsOf<EmailedLink>) {
    Object.assign(this, fields);
  }

  /** @returns the token for the link, and its record to store */
  static issue(subjectId: string, purpose: LinkPurpose, now: Date): { token: string; record: EmailedLink } {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + LINK_MINUTES[purpose] * MINUTE_MS);
    return { token, record: new EmailedLink({ tokenHash: hashToken(token), subjectId, purpose, expiresAt }) };
  }
}

/** A fast hash is sufficient, because a token has 256 random bits. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export function resetTokenError(): DomainError {
  return new DomainError(
    invalidResetToken,
    'This link is unknown, has expired or was used. Request a new one.',
  );
}
