import { MINUTE_MS, timeOfChange } from '../../../kernel/clock';
import { RefundReport } from '../../providers';
import { latePaymentLifecycle, LatePaymentStatus } from './late-payment.lifecycle';

/**
 * Why money could not pay its request: how that had ended; that the account was closed; that it was not the amount
 * asked for; or that the account could not take it (`refused`: its largest balance, or a rule of the operator's).
 */
export const lateReasons = [
  'canceled',
  'expired',
  'failed',
  'already_paid',
  'account_closed',
  'amount_mismatch',
  'refused',
] as const;
export type LateReason = (typeof lateReasons)[number];

/** How often sending it back is tried before a person has to see to it: about half a day. */
const MAX_ATTEMPTS = 10;
const LONGEST_PAUSE_MINUTES = 360;

/** The failure of one that is stuck because nobody could be asked; any other was the provider's word. */
const NO_ANSWER = 'no_answer';

/**
 * A customer's money that came in when its payment request could no longer take it. It never was the account's, so
 * it is in no journal: it is kept on record until it has gone back.
 */
export class LatePayment {
  readonly accountId: string;
  readonly id: string;
  /** The payment request that it was meant for. */
  readonly paymentRequestId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The provider's name of the payment; null for money that an operator recorded. */
  readonly providerReference: string | null;
  readonly reason: LateReason;
  status: LatePaymentStatus;
  /** Why it is stuck, in a word. */
  failure: string | null;
  /** When sending it back is next tried; null when the service does not. */
  dueAt: Date | null;
  /** How often it was tried in this round, and which round it is: each is a refund of its own at the provider. */
  attempts: number;
  round: number;
  readonly createdAt: Date;
  updatedAt: Date;
  returnedAt: Date | null;

  static create(
    received: Pick<
      LatePayment,
      'id' | 'accountId' | 'paymentRequestId' | 'amount' | 'currency' | 'providerReference' | 'reason'
    >,
    at: Date,
  ): LatePayment {
    const fields: Partial<LatePayment> = {
      ...received,
      status: 'received',
      failure: null,
      dueAt: received.providerReference === null ? null : at,
      attempts: 0,
      round: 1,
      createdAt: at,
      updatedAt: at,
      returnedAt: null,
    };
    return Object.assign(Object.create(LatePayment.prototype) as LatePayment, fields);
  }

  /** Another try begins. Until it is answered nobody else makes one. */
  try(now: Date): void {
    this.attempts += 1;
    const minutes = Math.min(2 ** (this.attempts - 1), LONGEST_PAUSE_MINUTES);
    this.dueAt = new Date(now.getTime() + minutes * MINUTE_MS);
  }

  /** Nobody could be asked. */
  missed(now: Date): void {
    if (this.attempts >= MAX_ATTEMPTS) this.getStuck(NO_ANSWER, now);
  }

  /**
   * What the provider says of sending it back, in whatever order it comes: what was sent may come back after it
   * arrived, never the other way round. What is said of an earlier round changes nothing.
   */
  take({ round, status, failure }: RefundReport, now: Date): void {
    if (round !== this.round) return;
    const failed = this.status === 'stuck' && this.failure !== NO_ANSWER;
    switch (status) {
      case 'succeeded':
        return this.status === 'returned' || failed ? undefined : this.return(now);
      case 'failed':
        return this.status === 'stuck' ? undefined : this.getStuck(failure ?? 'failed', now);
      case 'pending':
        // It is on its way: asking again is no try that failed.
        this.attempts = 0;
        if (this.dueAt !== null) this.dueAt = new Date(now.getTime() + LONGEST_PAUSE_MINUTES * MINUTE_MS);
    }
  }

  /** A person has sent it back, by whatever way. Once more is the same. The provider has no more to say of it. */
  returnByHand(now: Date): void {
    if (this.status === 'returned') return;
    this.round += 1;
    this.return(now);
  }

  /** @throws Refusal `conflict` unless it is stuck */
  retry(now: Date): void {
    this.status = latePaymentLifecycle.move('retry', this.status);
    this.failure = null;
    this.attempts = 0;
    this.round += 1;
    this.dueAt = now;
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }

  private return(now: Date): void {
    this.status = latePaymentLifecycle.move('return', this.status);
    this.failure = null;
    this.dueAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.returnedAt = this.updatedAt;
  }

  private getStuck(failure: string, now: Date): void {
    this.status = latePaymentLifecycle.move('getStuck', this.status);
    this.failure = failure;
    this.returnedAt = null;
    this.dueAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
  }
}
