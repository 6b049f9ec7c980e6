import { MINUTE_MS } from '../../../kernel/clock';
import { CustomErrorCode, DomainError } from '../../../kernel/domain-error';
import type { FieldsOf } from '../../../kernel/entity';
import { hashToken, newToken } from '../domain/secret-tokens';
import type { LoginSubject } from '../domain/sign-in-subjects';

/**
 * What a link is for. `password_reset`: to set a password, also the first one. `email_verification`: to prove, with the
 * password, that the email is one's own.
 */
export type LinkPurpose = 'password_reset' | 'email_verification';

/** The page behind the links of each purpose: the first part of its path and of its template's name. */
export const pageNames = {
  password_reset: 'password-reset',
  email_verification: 'email-verification',
} as const satisfies Record<LinkPurpose, string>;

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
  static issue(
    subjectId: string,
    purpose: LinkPurpose,
    now: Date,
    minutes = LINK_MINUTES[purpose],
  ): { token: string; record: EmailedLink } {
    const token = newToken();
    const expiresAt = new Date(now.getTime() + minutes * MINUTE_MS);
    return { token, record: new EmailedLink({ tokenHash: hashToken(token), subjectId, purpose, expiresAt }) };
  }
}

export function resetTokenError(): DomainError {
  return new DomainError(
    invalidResetToken,
    'This link is unknown, has expired or was used. Request a new one.',
  );
}

/** A link, and the user or the account that it is for. */
export interface IssuedLink {
  readonly subject: LoginSubject;
  readonly link: string;
}

/** Issues the links that emails contain. Links that were issued before stay valid. */
export abstract class EmailedLinks {
  /**
   * Issues a link to set a new password for the user, and another for the account, that have the email and may log in. The
   * locks keep a concurrent change of the email from leaving a link for the old mailbox.
   */
  abstract issuePasswordResets(emailKey: string): Promise<IssuedLink[]>;

  /**
   * Issues a link to verify the email of a user or an account, unless it may not log in, has another email by now, or its
   * email is verified.
   */
  abstract issueVerification(subjectId: string, emailKey: string): Promise<IssuedLink | null>;

  /**
   * Issues a link to set the first password of a user or an account that was invited, unless it may not log in, has another
   * email by now, or has a password.
   */
  abstract issueInvitation(subjectId: string, emailKey: string): Promise<IssuedLink | null>;
}
