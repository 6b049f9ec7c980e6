import { Injectable } from '@nestjs/common';
import { join } from 'node:path';
import { displayText } from '../../kernel/text';
import { formatAmount, formatDateTime } from '../../platform/i18n/formats';
import { chooseLanguage, formatMessage, type Language, messageParts } from '../../platform/i18n/messages';
import { EmailTemplate } from '../../platform/mail/email-template';
import { EmailContent, Mail } from '../../platform/mail/mailer';
import { PaymentContext, PaymentLinks, PaymentRequestStore } from '../payment-requests';
import { PaymentProcessor } from '../processors';
import { PaymentEmailQuotas } from './email-quotas.service';
import { PaymentEmailsRepository } from './emails.repository';
import { emailMessages } from './messages';
import { Letters } from './outbox.task';
import { isApplicable, PaymentEmail, PaymentEmailKind } from './due-emails';

/** The emails to the customers of payment requests. Addresses and links are read when an email is sent. */
@Injectable()
export class PaymentLetters implements Letters<PaymentEmail> {
  readonly name = 'payment emails';
  readonly job = 'payment-mail';
  readonly table = 'payment_emails';
  readonly idPrefix = '';
  private readonly content: PaymentEmailContent;

  constructor(
    readonly rows: PaymentEmailsRepository,
    private readonly requests: PaymentRequestStore,
    private readonly quotas: PaymentEmailQuotas,
    links: PaymentLinks,
    { testMode }: PaymentProcessor,
  ) {
    this.content = new PaymentEmailContent(testMode, links);
  }

  describe({ kind, paymentRequestId }: PaymentEmail): string {
    return `${kind} email for ${paymentRequestId}`;
  }

  async compose(email: PaymentEmail, now: Date): Promise<Mail | null> {
    const { accountId, paymentRequestId: id, kind, sentAt } = email;
    const context = await this.requests.find(accountId, id);
    if (context === null || !isApplicable(kind, context.request, now)) return null;
    const { request, payee } = context;
    // The customers of an account that takes no payments receive no requests. Receipts are still sent.
    if (kind === 'request' && !payee.isOpenFor('payment')) return null;
    return {
      ...this.content.render(kind, context),
      // One that is sent again is another email for mail programs.
      event: [kind, id, ...(sentAt === null ? [] : [sentAt.getTime()])].join('.'),
      to: request.customerEmail,
      sender: payee.name,
      replyTo: payee.email,
    };
  }

  withinQuota({ accountId }: PaymentEmail, { to }: Mail, send: () => Promise<void>): Promise<void> {
    return this.quotas.count(accountId, to, send);
  }
}

interface Row {
  readonly label: string;
  readonly value: string;
}

const template = new EmailTemplate(join(__dirname, 'payment-email.eta'));

/**
 * Renders emails in the language of the account. Texts that the account has provided are shown by `displayText`, so
 * that in the plain text they cannot imitate the service's own text.
 */
export class PaymentEmailContent {
  constructor(
    private readonly testMode: boolean,
    private readonly links: PaymentLinks,
  ) {}

  render(kind: PaymentEmailKind, context: PaymentContext): EmailContent {
    const { request, payee } = context;
    const language = chooseLanguage(undefined, payee.language);
    const t = emailMessages[language].payment;
    const values = {
      payee: displayText(payee.name),
      amount: formatAmount(request.amount, request.currency, language),
    };
    const isRequest = kind === 'request';
    const heading = t[kind].heading;
    const advice = isRequest ? t.request.care : t.receipt.thanks;
    const rows = describeRows(kind, context, values, language);
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
    return template.render(language, subject, htmlValues, paragraphs);
  }
}

function describeRows(
  kind: PaymentEmailKind,
  { request, payee }: PaymentContext,
  values: { readonly payee: string; readonly amount: string },
  language: Language,
): Row[] {
  const { labels } = emailMessages[language].payment;
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
