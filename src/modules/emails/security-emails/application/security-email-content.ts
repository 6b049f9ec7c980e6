import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { displayText } from '../../../../kernel/text';
import type { Language } from '../../../../platform/i18n/messages';
import { formatMessage, messageParts } from '../../../../platform/i18n/messages';
import { EmailTemplate } from '../../../../platform/mail/email-template';
import type { EmailContent } from '../../../../platform/mail/mailer';
import type { IssuedLink } from '../../../auth';
import type { SecurityEmailKind } from '../domain/security-email';
import { securityEmailMessages } from './security-email-messages';

interface Values {
  readonly language: Language;
  /** The email that the login has, or had before a change. */
  readonly email: string;
  /** Where a new password is set or the email is verified; empty in notices. */
  readonly links: readonly IssuedLink[];
}

const template = new EmailTemplate(readFileSync(join(__dirname, 'security-email.eta'), 'utf8'));

export function renderSecurityEmail(
  kind: SecurityEmailKind,
  { language, email, links }: Values,
): EmailContent {
  const { [kind]: message, link: t } = securityEmailMessages[language];
  const { heading, advice } = message;
  const texts = kind === 'email_verification' ? t.email_verification : t.password_reset;
  const several = links.length > 1 ? t.several : null;
  const labelled = links.map(({ subject, link }) => {
    const values = { name: displayText(subject.name ?? subject.email) };
    return {
      link,
      label: several && messageParts(t[subject.kind], values),
      plain: several ? formatMessage(t[subject.kind], values) : texts.plain,
    };
  });
  return template.render(
    language,
    heading,
    {
      t,
      action: texts.action,
      advice,
      several,
      links: labelled,
      message: messageParts(message.text, { email }),
    },
    [
      heading,
      formatMessage(message.text, { email }),
      several,
      ...labelled.map(({ plain, link }) => `${plain}\n${link}`),
      advice,
    ],
  );
}
