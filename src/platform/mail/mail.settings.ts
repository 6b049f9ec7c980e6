import { isEmail } from 'class-validator';
import { makeValidator } from 'envalid';
import { ConfigError, defineSettings, secret } from '../config/settings';

/** The options of nodemailer that the URL may carry. Others could log everything that is sent. */
const URL_OPTIONS = /^(name|requireTLS|ignoreTLS|tls\.\w+)$/;

/** The URL holds a password, so messages never quote it. */
const smtpUrl = makeValidator<string>((input) => {
  const parsed = URL.canParse(input) ? new URL(input) : null;
  if (parsed === null || !/^smtps?:$/.test(parsed.protocol) || parsed.hostname === '') {
    throw new Error('must look like smtp://user:password@host:587 or smtps://user:password@host');
  }
  if ([...parsed.searchParams.keys()].some((option) => !URL_OPTIONS.test(option))) {
    throw new Error('supports the options requireTLS, ignoreTLS, name and tls.*, and no others');
  }
  if (![parsed.username, parsed.password].every(isPercentEncoded)) {
    throw new Error('must percent-encode special characters in user name and password, % as %25');
  }
  return input;
});

const emailAddress = makeValidator<string>((input) => {
  if (!isEmail(input)) throw new Error('must be a plain address like billing@example.com');
  return input;
});

/** The mail server and the sender's address. */
export interface MailSettings {
  readonly smtpUrl: string;
  readonly from: string;
}

/** null when no email is sent. */
export const mailSettings = defineSettings({
  variables: {
    SMTP_URL: secret(
      smtpUrl({
        default: '',
        desc: 'The SMTP server for emails to customers: `smtp://user:password@host:587` or `smtps://...`. Without it, no email is sent.',
      }),
    ),
    MAIL_FROM: emailAddress({
      default: '',
      desc: 'The sender address; by default the user name of `SMTP_URL` if that is an email address. Otherwise it is required with `SMTP_URL`.',
    }),
  },
  read: ({ SMTP_URL, MAIL_FROM }): MailSettings | null => {
    if (SMTP_URL === '') return null;
    const user = decodeURIComponent(new URL(SMTP_URL).username);
    const from = MAIL_FROM || (isEmail(user) ? user : '');
    if (from === '') throw new ConfigError('MAIL_FROM: must be set when SMTP_URL is set');
    return { smtpUrl: SMTP_URL, from };
  },
});

function isPercentEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
