import { createTransport, NodemailerError, Transporter } from 'nodemailer';
import { SECOND_MS } from '../../kernel/clock';
import { oneLine } from '../../kernel/text';
import { MailSettings } from '../config/config';
import { Mail, Mailer, MailFailure } from './mailer';

/** What a server refuses at these commands is the mail or its recipient, at others it is us: settings can be mended. */
const ABOUT_THE_MAIL = ['RCPT TO', 'DATA'];

/** So it is with replies about authentication and policy (RFC 3463), whatever the command. */
const ABOUT_US = /^(530|5\d\d[ -]5\.7\.)/;

const MAX_NAME_CHARACTERS = 64;

/** Hands mail to an SMTP server, or with no settings to none. */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter | null;

  constructor(private readonly settings: MailSettings | null) {
    super();
    this.transport =
      settings &&
      createTransport({
        url: settings.smtpUrl,
        connectionTimeout: 10 * SECOND_MS,
        greetingTimeout: 10 * SECOND_MS,
        socketTimeout: 15 * SECOND_MS,
      });
  }

  get configured(): boolean {
    return this.transport !== null;
  }

  async send(mail: Mail, signal: AbortSignal): Promise<void> {
    if (this.settings === null || this.transport === null) throw new Error('There is no mail server.');
    const { from } = this.settings;
    try {
      await this.transport.sendMail({
        // Addresses as objects: a text would be parsed, and could name more than one.
        from: { name: displayName(mail.sender), address: from },
        to: { name: '', address: mail.to },
        replyTo: { name: '', address: mail.replyTo },
        subject: oneLine(mail.subject),
        messageId: `<${mail.event}@${from.slice(from.lastIndexOf('@') + 1)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
        text: mail.text,
        html: mail.html,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal,
      });
    } catch (error) {
      throw failure(error as NodemailerError);
    }
  }
}

/** A name to stand beside the address, unless it poses as an address or is too long to be one. */
function displayName(name: string): string {
  const line = oneLine(name);
  return line.includes('@') || line.length > MAX_NAME_CHARACTERS ? '' : line;
}

function failure(error: NodemailerError): MailFailure {
  const { responseCode, response = '', command = '', permanent, originalCode, code } = error;
  if (responseCode === undefined) return new MailFailure(originalCode ?? code ?? 'unknown', false);
  const forGood = permanent === true && ABOUT_THE_MAIL.includes(command) && !ABOUT_US.test(response);
  return new MailFailure(`SMTP_${responseCode}`, forGood);
}
