import { randomBytes } from 'node:crypto';
import { DAY_MS, timeOfChange } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';
import type { Metadata } from '../../../kernel/metadata';
import { type Outcome, type ScheduledEnd, SCRIPTED_FAILURE } from '../../processors';
import type { RejectionReason } from '../unapplied-payments/unapplied-payment';
import type { ReturnUrls } from './return-urls';
import type { Split } from './splits';

/** Interface 3.4. A declined attempt leaves a request pending until the last allowed one; every other state is final. */
export const paymentRequestLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  initial: ['pending'],
  transitions: {
    pay: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: { from: ['pending'], to: 'canceled', error: 'not_cancellable' },
    expire: { from: ['pending'], to: 'canceled' },
  },
});

export type PaymentRequestStatus = StateOf<typeof paymentRequestLifecycle>;

/** Who tells the outcome: the sandbox, the processor that hosts the page, or a report of an operator. */
export const attemptMethods = ['simulation', 'hosted_checkout', 'reported'] as const;

export const attemptOutcomes = ['succeeded', 'declined', 'failed'] as const;

/** One attempt to pay a payment request, as it is stored with the request. */
export interface PaymentAttempt {
  /** ISO 8601. */
  readonly createdAt: string;
  readonly method: (typeof attemptMethods)[number];
  readonly outcome: (typeof attemptOutcomes)[number];
  /** A sentence, or a code of the processor; never about a person. */
  readonly reason: string | null;
}

/** How an attempt came to its outcome. */
export type AttemptSource = Pick<PaymentAttempt, 'method' | 'reason'>;

const REPORTED: AttemptSource = { method: 'reported', reason: null };

const DEFAULT_LIFETIME_DAYS = 30;
const MAX_LIFETIME_DAYS = 366;

/** The number of declined attempts after which a request fails. */
const MAX_DECLINES = 5;

/** 256 bits: anyone who knows the link can pay, so the secret must be impossible to guess. */
const SECRET_BYTES = 32;
const SECRET = /^[\w-]{43}$/;

/** What a payment request asks for. */
export type PaymentTerms = Pick<
  PaymentRequest,
  'amount' | 'currency' | 'customerEmail' | 'reference' | 'metadata' | 'splits'
> &
  ReturnUrls;

/** A payment request as other modules get it: its methods change it, but its members cannot be assigned. */
export type ReadonlyPaymentRequest = Readonly<PaymentRequest>;

/** A request for payment, sent to a customer as the link of a payment page (interface 2.4). */
export class PaymentRequest extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  readonly customerEmail: string;
  readonly reference: string | null;
  readonly metadata: Metadata;
  readonly returnUrl: string | null;
  readonly cancelUrl: string | null;
  /** The parts that go to other accounts when it is paid; null for none. */
  splits: readonly Split[] | null;
  /** The last segment of the payment URL. */
  readonly secret: string;
  status: PaymentRequestStatus;
  readonly expiresAt: Date;
  declines: number;
  /** The attempts to pay, oldest first: five declines and what ended the request, at most. */
  attempts: readonly PaymentAttempt[];
  /** The transaction that records the payment; null while the request is not paid. */
  transactionId: string | null;
  /** When the processor started to transfer the customer's payment; null when it is not transferring one. */
  processingSince: Date | null;
  /** When a simulated payment ends the request, and how; null when only its customer does. */
  readonly settlesAt: Date | null;
  readonly dueOutcome: Outcome | null;
  readonly createdAt: Date;
  updatedAt: Date;

  private constructor(
    fields: FieldsOf<PaymentRequest, 'attemptsLeft' | 'wasCanceledByExpiry' | 'failureReason'>,
  ) {
    super();
    Object.assign(this, fields);
  }

  /**
   * @param simulated when and how the processor ends the request; null when only its customer does
   * @throws DomainError `invalid_request` for an expiry in the past or more than a year ahead
   */
  static create(
    request: Pick<PaymentRequest, 'accountId' | 'id'> & PaymentTerms,
    expiresAt: Date | null,
    at: Date,
    simulated: ScheduledEnd | null = null,
  ): PaymentRequest {
    return new PaymentRequest({
      ...request,
      secret: randomBytes(SECRET_BYTES).toString('base64url'),
      status: 'pending',
      expiresAt: checkedExpiry(expiresAt, at),
      declines: 0,
      attempts: [],
      transactionId: null,
      processingSince: null,
      settlesAt: simulated?.settlesAt ?? null,
      dueOutcome: simulated?.outcome ?? null,
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
    }).addEvent('payment_request.created', request.accountId);
  }

  /** Whether `text` has the form of a secret. Other text never reaches SQL. */
  static isSecret(text: string): boolean {
    return SECRET.test(text);
  }

  get attemptsLeft(): number {
    return MAX_DECLINES - this.declines;
  }

  /**
   * Whether the request has expired at `now`, although its status may still be pending. A request whose payment is
   * being processed was paid in time, so it does not expire.
   */
  isExpired(now: Date): boolean {
    return this.expiresAt <= now && this.processingSince === null;
  }

  /** The status that counts at `now`: an expired request may still be pending. */
  statusAt(now: Date): PaymentRequestStatus | 'expired' {
    return this.status === 'pending' && this.isExpired(now) ? 'expired' : this.status;
  }

  /** Whether the request was canceled because it expired, not by a call to cancel it. */
  get wasCanceledByExpiry(): boolean {
    return this.status === 'canceled' && this.isExpired(this.updatedAt);
  }

  /** Why the request failed, made of what is stored; null unless it failed. */
  get failureReason(): string | null {
    if (this.status !== 'failed') return null;
    if (this.declines >= MAX_DECLINES) return `The payment was declined ${MAX_DECLINES} times.`;
    const wasSimulated =
      this.dueOutcome === 'failed' && this.settlesAt !== null && this.settlesAt <= this.updatedAt;
    return wasSimulated ? SCRIPTED_FAILURE : 'The payment was reported as failed.';
  }

  /** Whether a simulated payment ends the request, which it does although it is processed after the expiry. */
  isSimulationDue(now: Date): boolean {
    const { status, settlesAt, expiresAt } = this;
    return status === 'pending' && settlesAt !== null && settlesAt <= now && settlesAt < expiresAt;
  }

  /** Returns why a payment cannot be applied to the request, or null when it can. */
  rejectionReason(
    payment: { readonly amount: number; readonly currency: string },
    isPayeeClosed: boolean,
    now: Date,
  ): RejectionReason | null {
    if (isPayeeClosed) return 'account_closed';
    if (this.status === 'succeeded') return 'already_paid';
    if (this.status === 'failed') return 'failed';
    if (this.status === 'canceled') return this.wasCanceledByExpiry ? 'expired' : 'canceled';
    if (this.isExpired(now)) return 'expired';
    return payment.amount === this.amount && payment.currency === this.currency ? null : 'amount_mismatch';
  }

  /** @throws DomainError `conflict` unless the request is pending */
  pay(transactionId: string, now: Date, source = REPORTED): void {
    this.transition('pay', now);
    this.transactionId = transactionId;
    this.addAttempt('succeeded', source);
  }

  /** @param accountIds those that got their parts: the others' have stayed with the account that was paid */
  recordSplits(accountIds: readonly string[]): void {
    const record = (split: Split): Split =>
      accountIds.includes(split.accountId) ? split : { ...split, skipped: true };
    this.splits = this.splits && this.splits.map(record);
  }

  /** Records a declined attempt. The fifth one fails the request. @throws DomainError `conflict` unless it is pending */
  decline(now: Date, source = REPORTED): void {
    paymentRequestLifecycle.transition('fail', this.status);
    this.declines += 1;
    this.processingSince = null;
    if (this.declines >= MAX_DECLINES) this.transition('fail', now);
    else this.touch('updated', now);
    this.addAttempt('declined', source);
  }

  /** @throws DomainError `conflict` unless the request is pending */
  fail(now: Date, source = REPORTED): void {
    this.transition('fail', now);
    this.addAttempt('failed', source);
  }

  /** @throws DomainError `not_cancellable` unless the request is pending */
  cancel(now: Date): void {
    this.transition('cancel', now);
  }

  /** Cancels the request if it is pending and has expired. */
  expireIfDue(now: Date): void {
    if (this.status === 'pending' && this.isExpired(now)) this.transition('expire', now);
  }

  /** Records that the customer has paid and the processor is transferring the money. */
  startProcessing(now: Date): void {
    if (this.status === 'pending') this.processingSince ??= now;
  }

  stopProcessing(): void {
    this.processingSince = null;
  }

  private addAttempt(outcome: PaymentAttempt['outcome'], { method, reason }: AttemptSource): void {
    const createdAt = this.updatedAt.toISOString();
    this.attempts = [...this.attempts, { createdAt, method, outcome, reason }];
  }

  private transition(name: 'pay' | 'fail' | 'cancel' | 'expire', now: Date): void {
    this.status = paymentRequestLifecycle.transition(name, this.status);
    this.processingSince = null;
    this.touch(this.status, now);
  }

  private touch(action: 'updated' | PaymentRequestStatus, now: Date): void {
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent(`payment_request.${action}`, this.accountId);
  }
}

function checkedExpiry(expiresAt: Date | null, at: Date): Date {
  if (expiresAt === null) return new Date(at.getTime() + DEFAULT_LIFETIME_DAYS * DAY_MS);
  if (expiresAt <= at || expiresAt.getTime() > at.getTime() + MAX_LIFETIME_DAYS * DAY_MS) {
    throw new DomainError('invalid_request', 'expires_at must be in the future and at most a year ahead.');
  }
  return expiresAt;
}
