/** A mail to one person, in words that may come from anybody: whoever sends it keeps them out of its headers. */
export interface Mail {
  /** What it is about, in letters, digits, `_`, `-` and `.`. The same event gives the same Message-ID. */
  readonly event: string;
  readonly to: string;
  /** In whose name it is sent. */
  readonly sender: string;
  /** Where an answer goes. */
  readonly replyTo: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** BCP 47. */
  readonly language: string;
}

/** How mail goes out. */
export abstract class Mailer {
  /** Whether it does. Where it does not, nobody prepares any. */
  abstract readonly configured: boolean;

  /**
   * Hands a mail to the server that delivers it. After a failure it may have been sent all the same.
   * @throws MailFailure
   */
  abstract send(mail: Mail, signal: AbortSignal): Promise<void>;
}

/** A mail was not taken. It says nothing of the server's words, which may hold addresses and passwords. */
export class MailFailure extends Error {
  override readonly name = 'MailFailure';

  /**
   * @param code `SMTP_` and the reply's number, or what a socket says
   * @param permanent whether the server will never take this mail to this address
   */
  constructor(
    readonly code: string,
    readonly permanent: boolean,
  ) {
    super('The mail was not sent.');
  }
}
