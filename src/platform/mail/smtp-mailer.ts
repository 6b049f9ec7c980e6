import { Socket } from 'node:net';
import { createTransport, type NodemailerError, type Transporter } from 'nodemailer';
import { SECOND_MS } from '../../kernel/clock';
import { displayText, isUnambiguousEmail } from '../../kernel/text';
import { type CheckContext, fault, type Finding, type HealthCheck, ok } from '../config/health-check';
import { mailSettings, type MailSettings } from './mail.settings';
import { type Mail, Mailer, MailFailure } from './mailer';

/** At these commands a server rejects the email or its recipient; at others, the settings are at fault. */
const EMAIL_COMMANDS = ['RCPT TO', 'DATA'];

/** Replies about authentication and policy (RFC 3463) concern the settings, whatever the command. */
const POLICY_REPLY = /^(530|5\d\d[ -]5\.7\.)/;

const MAX_NAME_CHARACTERS = 64;

/** A server has this time for an email or a login, whatever it sends: the other limits are those of its silence. */
const DEADLINE_MS = 20 * SECOND_MS;

/** Sends email through an SMTP server. Without settings, no email can be sent. */
export class SmtpMailer extends Mailer {
  private readonly transport: Transporter | null;

  constructor(
    private readonly settings: MailSettings | null,
    private readonly deadlineMs = DEADLINE_MS,
  ) {
    super();
    this.transport = settings && createTransport(transportOptions(settings));
  }

  get configured(): boolean {
    return this.transport !== null;
  }

  async send(mail: Mail, signal: AbortSignal): Promise<void> {
    if (this.settings === null || this.transport === null) throw new Error('No mail server is configured.');
    // Addresses that are stored today may be older than the rule for new ones.
    if (!isUnambiguousEmail(mail.to)) throw new MailFailure('ambiguous_address', true);
    const { from } = this.settings;
    const { replyTo } = mail;
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.deadlineMs);
    try {
      await this.transport.sendMail({
        // Addresses are objects, since a string is parsed and could contain several addresses.
        from: { name: displayName(mail.sender), address: from },
        to: { name: '', address: mail.to },
        ...(replyTo !== undefined &&
          isUnambiguousEmail(replyTo) && { replyTo: { name: '', address: replyTo } }),
        subject: displayText(mail.subject),
        messageId: `<${mail.event}@${from.slice(from.lastIndexOf('@') + 1)}>`,
        headers: { 'Auto-Submitted': 'auto-generated', 'Content-Language': mail.language },
        text: mail.text,
        html: mail.html,
        disableFileAccess: true,
        disableUrlAccess: true,
        signal: AbortSignal.any([signal, deadline.signal]),
      });
    } catch (error) {
      throw failure(error as NodemailerError);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Connects to the server and logs in. @throws MailFailure */
  async verify(): Promise<void> {
    if (this.settings === null) return;
    const socket = new Socket();
    const timer = setTimeout(() => socket.destroy(new Error('The server took too long.')), this.deadlineMs);
    try {
      await createTransport({ ...transportOptions(this.settings), socket }).verify();
    } catch (error) {
      throw failure(error as NodemailerError);
    } finally {
      clearTimeout(timer);
      socket.destroySoon();
    }
  }
}

function transportOptions({ smtpUrl }: MailSettings) {
  return {
    url: smtpUrl,
    connectionTimeout: 10 * SECOND_MS,
    greetingTimeout: 10 * SECOND_MS,
    socketTimeout: 15 * SECOND_MS,
    socketCloseTimeout: SECOND_MS,
  };
}

/** The sender's name; empty if it looks like an address or is too long. */
function displayName(name: string): string {
  const line = displayText(name);
  return line.includes('@') || line.length > MAX_NAME_CHARACTERS ? '' : line;
}

function failure(error: NodemailerError): MailFailure {
  const { responseCode, response = '', command = '', permanent, originalCode, code } = error;
  if (responseCode === undefined) return new MailFailure(originalCode ?? code ?? 'unknown', false);
  const isPermanent = permanent === true && EMAIL_COMMANDS.includes(command) && !POLICY_REPLY.test(response);
  return new MailFailure(`SMTP_${responseCode}`, isPermanent);
}

/** Connects to the mail server and logs in, without sending anything. */
export const mailCheck: HealthCheck = {
  name: 'mail',
  async run({ settings }: CheckContext): Promise<readonly Finding[]> {
    const mail = settings.of(mailSettings);
    if (mail === null) return [ok('No email is sent, because SMTP_URL is not set.')];
    try {
      await new SmtpMailer(mail).verify();
      return [ok('The mail server accepts the login.')];
    } catch (error) {
      if (!(error instanceof MailFailure)) throw error;
      return [describe(error.code)];
    }
  },
};

function describe(code: string): Finding {
  return code.startsWith('SMTP_') || code === 'EAUTH'
    ? fault(
        `The mail server rejects the login (${code}).`,
        'Correct the user name and the password in SMTP_URL, with special characters percent-encoded.',
      )
    : fault(
        `The mail server cannot be reached (${code}).`,
        'Correct the host and the port in SMTP_URL, use smtps:// if the server expects TLS from the start, and allow the connection in the firewall.',
      );
}
