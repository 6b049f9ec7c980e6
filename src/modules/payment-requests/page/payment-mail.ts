import { Eta } from 'eta';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { oneLine } from '../../../kernel/text';
import { Bill } from '../application/checkout.service';
import { PaymentLinks } from '../domain/payment-links';
import { MailKind } from '../domain/payment-request';
import { fill, Language, languageFor, Messages, messages, pieces } from './languages';
import { formatAmount } from './money';
import { formatMoment } from './payment-page';

/** What a mail says, once in plain text and once in HTML. */
export interface Letter {
  readonly language: Language;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

interface Line {
  readonly label: string;
  readonly value: string;
}

/**
 * What customers read in their mail, in the language of the account that writes. The account's words are brought to
 * one line each, so that in plain text they cannot pass for ours.
 */
export class PaymentMail {
  private readonly template = new Eta().compile(readFileSync(join(__dirname, 'payment-mail.eta'), 'utf8'));
  private readonly eta = new Eta();

  constructor(
    private readonly testMode: boolean,
    private readonly links: PaymentLinks,
  ) {}

  letter(kind: MailKind, { request, payee }: Bill): Letter {
    const language = languageFor(undefined, payee.language);
    const t = messages[language];
    const values = {
      payee: oneLine(payee.name),
      amount: formatAmount(request.amount, request.currency, language),
    };
    const asks = kind === 'request';
    const shown = {
      heading: asks ? t.request : t.mail.paid,
      lines: linesOf(kind, { request, payee }, t, values, language),
      link: asks ? this.links.to(request.secret) : null,
      advice: asks ? t.mail.care : t.mail.thanks,
    };
    const subject = fill(asks ? t.request : t.mail.receipt, values);
    const notice = this.testMode ? `${t.testMode.heading}. ${t.testMode.text}` : null;
    const html = this.eta.render(this.template, {
      ...shown,
      t,
      language,
      subject,
      notice,
      heading: pieces(shown.heading, values),
      pay: fill(t.mail.pay, values),
      advice: pieces(shown.advice, values),
      reason: pieces(t.mail.reason, values),
    });
    const text = [
      notice,
      fill(shown.heading, values),
      shown.lines.map(({ label, value }) => `${label}: ${value}`).join('\n'),
      shown.link && `${t.mail.link}\n${shown.link}`,
      fill(shown.advice, values),
      fill(t.mail.reason, values),
    ];
    return { language, subject, html, text: text.filter((part) => part !== null).join('\n\n') + '\n' };
  }
}

function linesOf(
  kind: MailKind,
  { request, payee }: Bill,
  { labels }: Messages,
  values: { readonly payee: string; readonly amount: string },
  language: Language,
): Line[] {
  const moment = (at: Date): string => formatMoment(at, language, payee.timezone);
  const reference = request.reference ? [{ label: labels.reference, value: oneLine(request.reference) }] : [];
  if (kind === 'request') return [...reference, { label: labels.payBy, value: moment(request.expiresAt) }];
  return [
    { label: labels.payee, value: values.payee },
    { label: labels.amount, value: values.amount },
    ...reference,
    { label: labels.paidOn, value: moment(request.updatedAt) },
    { label: labels.receipt, value: request.transactionId ?? '' },
  ];
}
