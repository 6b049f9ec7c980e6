import { createHash, randomBytes } from 'node:crypto';
import { MINUTE_MS } from '../../../kernel/clock';
import { CustomErrorCode, DomainError } from '../../../kernel/domain-error';
import type { FieldsOf } from '../../../kernel/entity';
import { ExtensionPoint } from '../../../kernel/extension-point';
import type { WriteTx } from '../../../platform/database/database';
import type { LoginSubject } from '../domain/sign-in-subjects';

/**
 * What a link is for. `password_reset`: to set a password, also the first one. `email_verification`: to prove, with the
 * password, that the email is one's own.
 */
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
  static issue(
    subjectId: string,
    purpose: LinkPurpose,
    now: Date,
    minutes = LINK_MINUTES[purpose],
  ): { token: string; record: EmailedLink } {
    const token = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + minutes * MINUTE_MS);
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

/** Builds links: the address of the page for their purpose, followed by the token. */
export class LinkAddresses {
  /** @param addresses functions, because the port of the service may be known only after the start */
  constructor(private readonly addresses: Readonly<Record<LinkPurpose, () => string>>) {}

  to(purpose: LinkPurpose, token: string): string {
    return `${this.addresses[purpose]()}${token}`;
  }
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

/** The request for a link to set a new password. */
export interface PasswordResetRequest {
  /** The email that a visitor entered, whether anyone has it or not; empty if it gets no further links for now. */
  readonly emailKey: string;
  /** The language of the visitor, BCP 47. */
  readonly language: string;
}

interface PasswordResetListener {
  readonly name: string;
  requested(tx: WriteTx, request: PasswordResetRequest, now: Date): void;
}

/** The extension point for modules that deliver links to set a new password, in the transaction of the request. */
export class PasswordResetListeners extends ExtensionPoint<PasswordResetListener> {
  constructor() {
    super('PasswordResetListeners');
  }

  notifyRequested(tx: WriteTx, request: PasswordResetRequest, now: Date): void {
    for (const listener of this.members) listener.requested(tx, request, now);
  }
}
