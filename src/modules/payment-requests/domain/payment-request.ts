import { randomBytes } from 'node:crypto';
import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { Metadata } from '../../../kernel/metadata';
import { Refusal } from '../../../kernel/refusal';
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

  /** Whether its time is over, though nothing may have ended it yet. */
  isExpired(now: Date): boolean {
    return this.expiresAt <= now;
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
  }
}

function expiry(wanted: Date | null, at: Date): Date {
  if (wanted === null) return new Date(at.getTime() + PRESET_DAYS * DAY_MS);
  if (wanted <= at || wanted.getTime() > at.getTime() + MAX_DAYS * DAY_MS) {
    throw new Refusal('invalid_request', 'expires_at must be in the future and within a year.');
  }
  return wanted;
}
