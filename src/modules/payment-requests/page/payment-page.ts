import { Eta } from 'eta';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as qrcode from 'qrcode';
import { Bill } from '../application/checkout.service';
import { PaymentLinks } from '../domain/payment-links';
import { epcPayload, groupIban, transferReference } from './bank-transfer';
import { fill, Language, Messages, messages, pieces } from './languages';
import { formatAmount } from './money';

/**
 * How customers pay: in the sandbox they choose how a test ends; or they transfer the money from their bank; or they
 * are led to the page of a provider.
 */
export type PaymentMethod = 'simulation' | 'transfer' | 'checkout';

/** What a page knows of the provider that it leads to. */
export interface CheckoutDetails {
  /** Of its page: browsers hold a form's policy against redirects too. */
  readonly checkoutOrigin: string;
  readonly playMoney: boolean;
}

/** What the operator tells customers who transfer money. */
export interface TransferDetails {
  readonly payee: string | null;
  readonly iban: string | null;
  readonly bic: string | null;
  readonly instructions: string | null;
}

/** What a page may show. All but `pay` say where the payment stands and offer nothing. */
export type PageState = 'pay' | keyof Messages['states'];

interface Line {
  readonly label: string;
  readonly value: string;
  /** The moment that the value names, for machines. */
  readonly moment?: string;
  /** Something to copy letter by letter. */
  readonly code?: true;
}

const read = (file: string): string => readFileSync(join(__dirname, file), 'utf8');

/** Characters above which an amount is set smaller: it must never break within a number. */
const LONG_AMOUNT = 11;
const LONGER_AMOUNT = 17;

/** The page on which a customer pays, as one HTML text that needs nothing else and runs no script. */
export class PaymentPage {
  private readonly style = read('payment-page.css');
  private readonly template = new Eta().compile(read('payment-page.eta'));
  private readonly eta = new Eta();

  /**
   * What a browser lets the page do: show itself, and send its form to where it came from, or on to the provider. Not
   * even a mistake in the template could run a script, load anything or tell another site about the page.
   */
  readonly contentSecurityPolicy: string;

  /** @param provider of the method `checkout` */
  constructor(
    private readonly method: PaymentMethod,
    private readonly transfer: TransferDetails,
    private readonly links: PaymentLinks,
    private readonly provider: CheckoutDetails | null = null,
  ) {
    this.contentSecurityPolicy = [
      "default-src 'none'",
      `style-src 'sha256-${createHash('sha256').update(this.style).digest('base64')}'`,
      'img-src data:',
      `form-action 'self'${provider === null ? '' : ` ${provider.checkoutOrigin}`}`,
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
  }

  /**
   * A page about a payment request.
   * @param mayResume whether the customer may also go back to paying, because only they said that they have
   */
  async ofBill(bill: Bill, state: PageState, language: Language, mayResume = false): Promise<string> {
    const { request, payee } = bill;
    const t = messages[language];
    const amount = formatAmount(request.amount, request.currency, language);
    const values = { payee: payee.name, amount };
    return this.render(language, state, values, {
      request: pieces(t.request, values),
      amountSize: amount.length > LONGER_AMOUNT ? 'longer' : amount.length > LONG_AMOUNT ? 'long' : '',
      lines: this.lines(bill, state, language, amount),
      declined:
        state === 'pay' && request.declines > 0 ? attemptsLeft(t, language, request.attemptsLeft) : null,
      declines: request.declines,
      simulation: state === 'pay' && this.method === 'simulation' && { pay: fill(t.simulation.pay, values) },
      transfer: state === 'pay' && this.method === 'transfer' && (await this.transferOf(bill, t, amount)),
      checkout: state === 'pay' && this.method === 'checkout' && { pay: fill(t.checkout.pay, values) },
      resume: mayResume,
      code: state === 'pay' ? await qrCode(this.links.to(request.secret)) : null,
    });
  }

  /** A page about no payment request. */
  withoutBill(state: 'unknown' | 'error', language: Language): string {
    return this.render(language, state, {}, { lines: [], resume: false });
  }

  private render(
    language: Language,
    state: PageState,
    values: Readonly<Record<string, string>>,
    more: object,
  ): string {
    const t = messages[language];
    const told = state === 'pay' ? null : t.states[state];
    const title =
      told === null
        ? fill(t.titles.pay, values)
        : values['payee'] === undefined
          ? told.heading
          : fill(t.titles.other, { ...values, heading: told.heading });
    return this.eta.render(this.template, {
      t,
      language,
      state,
      title,
      style: this.style,
      testMode: this.method === 'simulation' || this.provider?.playMoney === true,
      told: told && { heading: told.heading, text: pieces(told.text, values) },
      care: values['payee'] === undefined ? null : pieces(t.care, values),
      ...more,
    });
  }

  /** Who, how much, what for and when. */
  private lines({ request, payee }: Bill, state: PageState, language: Language, amount: string): Line[] {
    const { labels } = messages[language];
    const moment = (label: string, at: Date): Line => ({
      label,
      value: formatMoment(at, language, payee.timezone),
      moment: at.toISOString(),
    });
    const reference = request.reference ? [{ label: labels.reference, value: request.reference }] : [];
    // What asks for the money names payee and amount in its heading already.
    if (state === 'pay') return [...reference, moment(labels.payBy, request.expiresAt)];
    const all = [
      { label: labels.payee, value: payee.name },
      { label: labels.amount, value: amount },
      ...reference,
    ];
    if (state !== 'paid') return all;
    const receipt: Line = { label: labels.receipt, value: request.transactionId ?? '', code: true };
    return [...all, moment(labels.paidOn, request.updatedAt), receipt];
  }

  private async transferOf({ request, payee }: Bill, t: Messages, amount: string): Promise<object> {
    const { iban, bic, instructions } = this.transfer;
    const holder = this.transfer.payee ?? payee.name;
    const reference = transferReference(request.id);
    const epc =
      iban !== null && request.currency === 'EUR'
        ? epcPayload({ payee: holder, iban, bic }, request.amount, reference)
        : null;
    const lines: Line[] = [
      { label: t.labels.transferPayee, value: holder },
      ...(iban === null ? [] : [{ label: t.labels.iban, value: groupIban(iban), code: true as const }]),
      ...(bic === null ? [] : [{ label: t.labels.bic, value: bic, code: true as const }]),
      { label: t.labels.amount, value: amount },
      { label: t.labels.transferReference, value: reference, code: true },
    ];
    return {
      lines,
      instructions,
      ask: iban === null && instructions === null ? pieces(t.transfer.ask, { payee: payee.name }) : null,
      code: epc === null ? null : await qrCode(epc),
    };
  }
}

function attemptsLeft(t: Messages, language: Language, count: number): string {
  const form = new Intl.PluralRules(language).select(count) === 'one' ? 'one' : 'other';
  return fill(t.attemptsLeft[form], { count: String(count) });
}

/** A moment as people of that language write it, on the clocks of the account's timezone. */
export function formatMoment(at: Date, language: string, timezone: string): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: timezone,
    timeZoneName: 'short',
  }).format(at);
}

/** Error correction M is what EPC069-12 wants, and enough for a screen. */
function qrCode(text: string): Promise<string> {
  return qrcode.toString(text, { type: 'svg', errorCorrectionLevel: 'M' });
}
