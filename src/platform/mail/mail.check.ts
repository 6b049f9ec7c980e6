import type { CheckContext, Finding, HealthCheck } from '../config/health-check';
import { fault, ok } from '../config/health-check';
import { mailSettings } from './mail.settings';
import { MailFailure } from './mailer';
import { SmtpMailer } from './smtp-mailer';

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
