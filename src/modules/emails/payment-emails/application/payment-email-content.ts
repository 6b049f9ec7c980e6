import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { displayText } from '../../../../kernel/text';
import { formatAmount, formatDateTime } from '../../../../platform/i18n/formats';
import type { Language } from '../../../../platform/i18n/messages';
import { chooseLanguage, formatMessage, messageParts } from '../../../../platform/i18n/messages';
import { EmailTemplate } from '../../../../platform/mail/email-template';
import type { EmailContent } from '../../../../platform/mail/mailer';
import type { PaymentContext, PaymentLinks } from '../../../payment-requests';
import type { PaymentEmailKind } from '../domain/payment-email';
import type { EmailMessages } from './email-messages';
import { emailMessages } from './email-messages';

interface Row {
  readonly label: string;
  readonly value: string;
}

/**
 * Renders emails in the language of the account. Texts that the account has provided are shown by `displayText`, so
 * that in the plain text they cannot imitate the service's own text.
 */
export class PaymentEmailContent {
  private readonly template = new EmailTemplate(readFileSync(join(__dirname, 'payment-email.eta'), 'utf8'));

  constructor(
    private readonly testMode: boolean,
    private readonly links: PaymentLinks,
  ) {}

  render(kind: PaymentEmailKind, context: PaymentContext): EmailContent {
    const { request, payee } = context;
    const language = chooseLanguage(undefined, payee.language);
    const t = emailMessages[language];
    const values = {
      payee: displayText(payee.name),
      amount: formatAmount(request.amount, request.currency, language),
    };
    const isRequest = kind === 'request';
    const heading = t[kind].heading;
    const advice = isRequest ? t.request.care : t.receipt.thanks;
    const rows = describeRows(kind, context, t, values, language);
    const link = isRequest ? this.links.to(request.secret) : null;
    const subject = formatMessage(isRequest ? t.request.heading : t.receipt.subject, values);
    const notice = this.testMode ? `${t.testMode.heading}. ${t.testMode.text}` : null;
    const htmlValues = {
      t,
      notice,
      rows,
      link,
      heading: messageParts(heading, values),
      pay: formatMessage(t.request.pay, values),
      advice: messageParts(advice, values),
      reason: messageParts(t.reason, values),
    };
    const paragraphs = [
      notice,
      formatMessage(heading, values),
      rows.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      link && `${t.request.link}\n${link}`,
      formatMessage(advice, values),
      formatMessage(t.reason, values),
    ];
    return this.template.render(language, subject, htmlValues, paragraphs);
  }
}

function describeRows(
  kind: PaymentEmailKind,
  { request, payee }: PaymentContext,
  { labels }: EmailMessages,
  values: { readonly payee: string; readonly amount: string },
  language: Language,
): Row[] {
  const dateTime = (at: Date): string => formatDateTime(at, language, payee.timezone);
  const reference = request.reference
    ? [{ label: labels.reference, value: displayText(request.reference) }]
    : [];
  if (kind === 'request') return [...reference, { label: labels.payBy, value: dateTime(request.expiresAt) }];
  return [
    { label: labels.payee, value: values.payee },
    { label: labels.amount, value: values.amount },
    ...reference,
    { label: labels.paidOn, value: dateTime(request.updatedAt) },
    { label: labels.receipt, value: request.transactionId ?? '' },
  ];
}
