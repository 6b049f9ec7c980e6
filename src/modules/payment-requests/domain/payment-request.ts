import { randomBytes } from 'node:crypto';
import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { Metadata } from '../../../kernel/metadata';
import { Refusal } from '../../../kernel/refusal';
import { LateReason } from '../../late-payments';
import { ProviderCheckout, checkoutExpiry, isLive, POLL_MS, SLACK_MS } from './checkout';
import { paymentRequestLifecycle, PaymentRequestStatus } from './payment-request.lifecycle';

/** How long a request can be paid unless it says otherwise, and at most. */
const PRESET_DAYS = 30;
const MAX_DAYS = 366;

/** Attempts after which a request fails. */
const MAX_DECLINES = 5;

/** 256 bits: whoever knows the link may pay, so it must not be guessed. */
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** What a customer gets mail about. */
export type MailKind = 'request' | 'receipt';

/** Money asked of a customer, with the secret of the page where they pay (interface 2.4). */
export class PaymentRequest {
  readonly accountId: string;
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customerEmail: string;
  readonly reference: string | null;
  readonly metadata: Metadata;
  /** The last part of the payment URL. */
  readonly secret: string;
  status: PaymentRequestStatus;
  readonly expiresAt: Date;
  /** How many attempts to pay were declined. */
  declines: number;
  /** The transaction that paid it, or null. */
  transactionId: string | null;
  /** Since when the customer is to get mail about it as it is now, or null. */
  mailDueAt: Date | null;
  readonly requestMailedAt: Date | null;
  readonly receiptMailedAt: Date | null;
  /** The last checkout at a provider, or null. */
  checkout: ProviderCheckout | null;
  /** When the provider is asked how it stands; null when there is nothing to ask. */
  checkoutDueAt: Date | null;
  readonly createdAt: Date;
  updatedAt: Date;

  /**
   * @param withMail whether the customer gets mail about it
   * @throws Refusal `invalid_request` for an expiry that is past or more than a year away
   */
  static create(
    request: Pick<
      PaymentRequest,
      'id' | 'accountId' | 'amount' | 'currency' | 'customerEmail' | 'reference' | 'metadata'
    >,
    expiresAt: Date | null,
    at: Date,
    withMail: boolean,
  ): PaymentRequest {
    const fields: Partial<PaymentRequest> = {
      ...request,
      secret: randomBytes(SECRET_BYTES).toString('base64url'),
      status: 'pending',
      expiresAt: expiry(expiresAt, at),
      declines: 0,
      transactionId: null,
      mailDueAt: withMail ? at : null,
      requestMailedAt: null,
      receiptMailedAt: null,
      checkout: null,
      checkoutDueAt: null,
      createdAt: at,
      updatedAt: at,
    };
    return Object.assign(Object.create(PaymentRequest.prototype) as PaymentRequest, fields);
  }

  /** Whether `text` may be the last part of a payment URL. Anything else never reaches SQL. */
  static isSecret(text: string): boolean {
    return SECRET.test(text);
  }

  /** How often paying may still be tried. */
  get attemptsLeft(): number {
    return MAX_DECLINES - this.declines;
  }

  /** Whether the customer has paid as far as they can, and the provider has the money on its way. */
  get isBeingProcessed(): boolean {
    return this.status === 'pending' && this.checkout?.state === 'processing';
  }

  /** Whether its time is over, though nothing may have ended it yet. What is being processed was paid in time. */
  isExpired(now: Date): boolean {
    return this.expiresAt <= now && !this.isBeingProcessed;
  }

  /** Whether what canceled it was that nobody paid in time. What ended it was its last change. */
  get ranOut(): boolean {
    return this.status === 'canceled' && this.isExpired(this.updatedAt);
  }

  /** What a mail about it would be about: nothing once it has ended unpaid. */
  mailKind(now: Date): MailKind | null {
    if (this.status === 'succeeded') return 'receipt';
    return this.status === 'pending' && !this.isExpired(now) ? 'request' : null;
  }

  /** Whether that mail has gone out. */
  wasMailed(kind: MailKind): boolean {
    return (kind === 'request' ? this.requestMailedAt : this.receiptMailedAt) !== null;
  }

  /**
   * @param withMail whether the customer gets a receipt
   * @throws Refusal `conflict` unless it is pending
   */
  pay(transactionId: string, now: Date, withMail: boolean): void {
    this.move('pay', now);
    this.transactionId = transactionId;
    this.mailDueAt = withMail ? now : null;
  }

  /** Why money that has come in cannot pay it, or null when it can. */
  whyLate(
    money: { readonly amount: number; readonly currency: string },
    payeeClosed: boolean,
    now: Date,
  ): LateReason | null {
    if (payeeClosed) return 'account_closed';
    if (this.status === 'succeeded') return 'already_paid';
    if (this.status === 'failed') return 'failed';
    if (this.status === 'canceled') return this.ranOut ? 'expired' : 'canceled';
    if (this.isExpired(now)) return 'expired';
    return money.amount === this.amount && money.currency === this.currency ? null : 'amount_mismatch';
  }

  /**
   * The checkout to pay it at: the one that is under way, so that no two can be paid, else the next. Of one that has a
   * name the provider says whether its time is over: it may have been paid in its last minute.
   * @param title of the payee, fixed with it: asked for again, it must be asked for in the same words
   */
  beginCheckout(title: string, now: Date): ProviderCheckout {
    const { checkout } = this;
    const usable = isLive(checkout) && (checkout.id !== null || new Date(checkout.expiresAt) > now);
    if (checkout !== null && usable) return checkout;
    const expiresAt = checkoutExpiry(this.expiresAt, now);
    const attempt = (checkout?.attempt ?? 0) + 1;
    this.checkout = { attempt, id: null, state: 'open', title, expiresAt: expiresAt.toISOString() };
    this.checkoutDueAt = new Date(expiresAt.getTime() + SLACK_MS);
    return this.checkout;
  }

  /** Whether a report is about the checkout that is under way, whose name may not be known yet. */
  isUnderWay(report: { readonly id: string; readonly attempt: number }): boolean {
    const { checkout } = this;
    return (
      isLive(checkout) && checkout.attempt === report.attempt && (checkout.id ?? report.id) === report.id
    );
  }

  /** The provider has opened it. When the request has ended meanwhile, it is to be closed again at once. */
  openedCheckout(id: string, now: Date): void {
    this.checkout = { ...this.checkout!, id };
    if (this.status !== 'pending') this.checkoutDueAt = now;
  }

  /** The customer is done there. Should the provider's word get lost, it is asked again. */
  processingCheckout(id: string, now: Date): void {
    this.checkout = { ...this.checkout!, id, state: 'processing' };
    this.checkoutDueAt = new Date(now.getTime() + POLL_MS);
  }

  /** There is nothing more to wait for. */
  endCheckout(): void {
    this.checkout = { ...this.checkout!, state: 'over' };
    this.checkoutDueAt = null;
  }

  /** Nobody knows its name yet, and until its time is over it may still become known. */
  awaitCheckout(now: Date): void {
    const until = new Date(new Date(this.checkout!.expiresAt).getTime() + SLACK_MS);
    if (until > now) this.checkoutDueAt = until;
    else this.endCheckout();
  }

  /** An attempt to pay failed. The last one allowed fails the request. @throws Refusal `conflict` unless it is pending */
  decline(now: Date): void {
    paymentRequestLifecycle.move('fail', this.status);
    this.declines += 1;
    if (this.declines >= MAX_DECLINES) this.move('fail', now);
    else this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  /** It will not be paid. @throws Refusal `conflict` unless it is pending */
  fail(now: Date): void {
    this.move('fail', now);
  }

  /** @throws Refusal `not_cancellable` unless it is pending */
  cancel(now: Date): void {
    this.move('cancel', now);
  }

  /** Nobody paid in time. */
  expire(now: Date): void {
    this.move('expire', now);
  }

  private move(name: 'pay' | 'fail' | 'cancel' | 'expire', now: Date): void {
    this.status = paymentRequestLifecycle.move(name, this.status);
    this.updatedAt = timeOfChange(this.updatedAt, now);
    if (isLive(this.checkout)) this.checkoutDueAt = now; // nobody shall pay there any more
  }
}

function expiry(wanted: Date | null, at: Date): Date {
  if (wanted === null) return new Date(at.getTime() + PRESET_DAYS * DAY_MS);
  if (wanted <= at || wanted.getTime() > at.getTime() + MAX_DAYS * DAY_MS) {
    throw new Refusal('invalid_request', 'expires_at must be in the future and within a year.');
  }
  return wanted;
}
