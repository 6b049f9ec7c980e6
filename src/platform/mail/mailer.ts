import { DomainError } from '../../kernel/domain-error';
import type { Language } from '../i18n/messages';

/** The content of an email, as plain text and as HTML. */
export interface EmailContent {
  readonly language: Language;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** An email to one person. Its fields may contain user input, so the mailer keeps them from forming headers. */
export interface Mail extends EmailContent {
  /** What the email is about, in letters, digits, `_`, `-` and `.`. The same event yields the same Message-ID. */
  readonly event: string;
  readonly to: string;
  /** The display name of the sender; may be empty. */
  readonly sender: string;
  /** The address for replies; by default the sender's. */
  readonly replyTo?: string;
}

/** The port for outgoing email. */
export abstract class Mailer {
  /** Whether email can be sent. If not, no emails are prepared. */
  abstract readonly configured: boolean;

  /** @param advice what to do without email @throws DomainError `invalid_request` if no email can be sent */
  assertConfigured(advice: string): void {
    if (!this.configured)
      throw new DomainError(
        'invalid_request',
        `This service sends no email (SMTP_URL is not set). ${advice}`,
      );
  }

  /**
   * Hands an email to the mail server. The email may have been sent even when this fails.
   * @throws MailFailure
   */
  abstract send(mail: Mail, signal: AbortSignal): Promise<void>;
}

/** An email was not accepted. The server's reply is left out, since it may contain addresses and passwords. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  /**
   * @param code `SMTP_` and the number of the reply, the error code of the socket, or `ambiguous_address`
   * @param permanent whether the server will never accept this email to this address
   */
  constructor(
    readonly code: string,
    readonly permanent: boolean,
  ) {
    super('The email was not sent.');
  }
}
