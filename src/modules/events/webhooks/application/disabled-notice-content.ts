import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { displayText } from '../../../../kernel/text';
import { chooseLanguage, formatMessage, messageParts } from '../../../../platform/i18n/messages';
import type { MessagesByLanguage } from '../../../../platform/i18n/messages';
import { EmailTemplate } from '../../../../platform/mail/email-template';
import type { EmailContent } from '../../../../platform/mail/mailer';
import type { NoticedReason } from '../domain/webhook-endpoint';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';

export const disabledNoticeMessages: MessagesByLanguage<typeof en> = { en, de, fr, es, pt };

const template = new EmailTemplate(readFileSync(join(__dirname, 'disabled-notice.eta'), 'utf8'));

/** @param preferred the language of the account, BCP 47 */
export function renderDisabledNotice(reason: NoticedReason, url: string, preferred: string): EmailContent {
  const language = chooseLanguage(undefined, preferred);
  const t = disabledNoticeMessages[language];
  const values = { url: displayText(url) };
  return template.render(language, t.heading, { t, message: messageParts(t[reason], values) }, [
    t.heading,
    formatMessage(t[reason], values),
    t.advice,
  ]);
}
