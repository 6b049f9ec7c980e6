import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as qrcode from 'qrcode';
import { displayText } from '../../../kernel/text';
import { formatAmount, formatDateTime } from '../../../platform/i18n/formats';
import type { Language, MessagesByLanguage, PlaceholderValues } from '../../../platform/i18n/messages';
import { formatMessage, messageParts } from '../../../platform/i18n/messages';
import { PageTemplate } from '../../../platform/pages/page-template';
import type { PaymentProcessor } from '../../processors';
import { type PaymentLinks, transferReference } from '../domain/payment-references';
import type { PaymentContext } from '../domain/payment-context';
import { fillReturnUrl } from '../domain/return-urls';
import type { BankTransferSettings } from './bank-transfer.settings';
import { epcPayload, groupIban } from './bank-transfer.view';
import de from './messages/de.json';
import en from './messages/en.json';
import es from './messages/es.json';
import fr from './messages/fr.json';
import pt from './messages/pt.json';
import type { PageState } from './page-state';

export type PageMessages = typeof en;

export const pageMessages: MessagesByLanguage<PageMessages> = { en, de, fr, es, pt };

interface Row {
  readonly label: string;
  readonly value: string;
  /** ISO 8601, where the value is a date. */
  readonly dateTime?: string;
  /** Whether the value is to be copied literally. */
  readonly code?: true;
}

export interface PageOptions {
  /** Whether a customer who has returned from the processor can go back there to pay. */
  readonly mayResume?: boolean;
  /** Whether the page leads the customer back by itself. */
  readonly leavesSoon?: boolean;
}

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** Longer amounts are set in smaller type, because an amount must not break across lines. */
const LONG_AMOUNT_CHARACTERS = 11;
const LONGER_AMOUNT_CHARACTERS = 17;

/** Renders the payment page as one HTML document that loads nothing else and runs no script. */
export class PaymentPageView {
  private readonly template: PageTemplate;

  constructor(
    private readonly processor: Pick<PaymentProcessor, 'paymentMethod' | 'testMode' | 'checkouts'>,
    private readonly bankAccount: BankTransferSettings,
    private readonly links: PaymentLinks,
  ) {
    const checkoutOrigin = processor.checkouts?.origin ?? null;
    this.template = new PageTemplate(read('payment-page.eta'), read('payment-page.css'), checkoutOrigin);
  }

  get contentSecurityPolicy(): string {
    return this.template.contentSecurityPolicy;
  }

  async render(
    context: PaymentContext,
    state: PageState,
    language: Language,
    { mayResume = false, leavesSoon = false }: PageOptions = {},
  ): Promise<string> {
    const { request, payee } = context;
    const amount = formatAmount(request.amount, request.currency, language);
    const values = { payee: displayText(payee.name), amount };
    const rows = this.rows(context, state, language, amount);
    const payment = state === 'pay' ? await this.paymentForm(context, language, values) : {};
    const back = backLink(context, state, language, values);
    return this.renderTemplate(language, state, values, {
      rows,
      resume: mayResume,
      back,
      leavesSoon,
      ...payment,
    });
  }

  /** Renders a page that concerns no payment request. */
  renderWithoutRequest(state: 'unknown' | 'error', language: Language): string {
    return this.renderTemplate(
      language,
      state,
      {},
      { rows: [], resume: false, back: null, leavesSoon: false },
    );
  }

  private renderTemplate(
    language: Language,
    state: PageState | 'unknown' | 'error',
    values: PlaceholderValues,
    more: object,
  ): string {
    const t = pageMessages[language];
    const message = state === 'pay' ? null : t.states[state];
    return this.template.render(language, buildTitle(t, message?.heading ?? null, values), {
      t,
      state,
      testMode: this.processor.testMode,
      message: message && { heading: message.heading, text: messageParts(message.text, values) },
      care: values['payee'] === undefined ? null : messageParts(t.care, values),
      ...more,
    });
  }

  /** What the page shows in addition while the request can be paid. */
  private async paymentForm(
    context: PaymentContext,
    language: Language,
    values: { readonly payee: string; readonly amount: string },
  ): Promise<object> {
    const { request } = context;
    const t = pageMessages[language];
    const { amount } = values;
    const { paymentMethod } = this.processor;
    return {
      request: messageParts(t.request, values),
      amountSize:
        amount.length > LONGER_AMOUNT_CHARACTERS
          ? 'longer'
          : amount.length > LONG_AMOUNT_CHARACTERS
            ? 'long'
            : '',
      declined: request.declines > 0 ? attemptsLeft(t, language, request.attemptsLeft) : null,
      declines: request.declines,
      simulation: paymentMethod === 'simulation' && { pay: formatMessage(t.simulation.pay, values) },
      bankTransfer: paymentMethod === 'bank_transfer' && (await this.bankTransfer(context, t, amount)),
      hostedCheckout: paymentMethod === 'hosted_checkout' && {
        pay: formatMessage(t.hostedCheckout.pay, values),
      },
      code: await qrCode(this.links.to(request.secret)),
    };
  }

  private rows(
    { request, payee }: PaymentContext,
    state: PageState,
    language: Language,
    amount: string,
  ): Row[] {
    const { labels } = pageMessages[language];
    const dateRow = (label: string, at: Date): Row => ({
      label,
      value: formatDateTime(at, language, payee.timezone),
      dateTime: at.toISOString(),
    });
    const reference = request.reference
      ? [{ label: labels.reference, value: displayText(request.reference) }]
      : [];
    // The heading of this state names the payee and the amount.
    if (state === 'pay') return [...reference, dateRow(labels.payBy, request.expiresAt)];
    const rows = [
      { label: labels.payee, value: displayText(payee.name) },
      { label: labels.amount, value: amount },
      ...reference,
    ];
    if (state !== 'paid') return rows;
    const receipt: Row = { label: labels.receipt, value: request.transactionId ?? '', code: true };
    return [...rows, dateRow(labels.paidOn, request.updatedAt), receipt];
  }

  private async bankTransfer(
    { request, payee }: PaymentContext,
    t: PageMessages,
    amount: string,
  ): Promise<object> {
    const { iban, bic, instructions } = this.bankAccount;
    const holder = this.bankAccount.payee ?? displayText(payee.name);
    const reference = transferReference(request.id);
    const epc =
      iban !== null && request.currency === 'EUR'
        ? epcPayload({ payee: holder, iban, bic }, request.amount, reference)
        : null;
    const rows: Row[] = [
      { label: t.labels.transferPayee, value: holder },
      ...(iban === null ? [] : [{ label: t.labels.iban, value: groupIban(iban), code: true as const }]),
      ...(bic === null ? [] : [{ label: t.labels.bic, value: bic, code: true as const }]),
      { label: t.labels.amount, value: amount },
      { label: t.labels.transferReference, value: reference, code: true },
    ];
    const hasDetails = iban !== null || instructions !== null;
    return {
      rows,
      instructions,
      ask: hasDetails ? null : messageParts(t.bankTransfer.ask, { payee: displayText(payee.name) }),
      code: epc === null ? null : await qrCode(epc),
    };
  }
}

function buildTitle(t: PageMessages, heading: string | null, values: PlaceholderValues): string {
  if (heading === null) return formatMessage(t.titles.pay, values);
  return values['payee'] === undefined ? heading : formatMessage(t.titles.other, { ...values, heading });
}

/** The link by which the customer leaves the page; null where the payee gave no address for the state. */
function backLink(
  { request }: PaymentContext,
  state: PageState,
  language: Language,
  values: PlaceholderValues,
): { readonly url: string; readonly text: string } | null {
  const hasPaid = state === 'paid' || state === 'processing';
  const url = hasPaid ? request.returnUrl : request.cancelUrl;
  if (url === null) return null;
  const { back } = pageMessages[language];
  const text = formatMessage(state === 'pay' ? back.unpaid : back.other, values);
  return { url: fillReturnUrl(url, request.id), text };
}

function attemptsLeft(t: PageMessages, language: Language, count: number): string {
  const form = new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other';
  return formatMessage(t.attemptsLeft[form], { count: String(count) });
}

/** EPC069-12 requires error correction level M, which also suits a screen. */
function qrCode(text: string): Promise<string> {
  return qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'M' });
}
