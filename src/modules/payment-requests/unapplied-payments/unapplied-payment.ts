import { MINUTE_MS, timeOfChange } from '../../../kernel/clock';
import { DomainError, type InterfaceErrorCode } from '../../../kernel/domain-error';
import { EventSource, type FieldsOf } from '../../../kernel/entity';
import { lifecycle, type StateOf } from '../../../kernel/lifecycle';
import type { Backlog } from '../../../platform/database/account-owned-repository';
import type { RefundReport } from '../../processors';

/**
 * Unapplied payments are returned to the customer. They are not posted: a credit could be spent before it goes back, and
 * a closed account takes none. `needs_attention`: the service could not return the payment, or a return that had
 * succeeded failed later, and a person has to resolve it.
 */
export const unappliedPaymentLifecycle = lifecycle({
  states: ['received', 'returned', 'needs_attention'],
  initial: ['received'],
  transitions: {
    markReturned: { from: ['received', 'needs_attention'], to: 'returned' },
    needAttention: { from: ['received', 'returned'], to: 'needs_attention' },
    retry: { from: ['needs_attention'], to: 'received' },
  },
});

export type UnappliedPaymentStatus = StateOf<typeof unappliedPaymentLifecycle>;

/**
 * Why a payment could not be applied: the final status of its payment request, a closed account, an amount other than
 * the requested one, or `rejected`: beyond the account's largest balance, or vetoed by a hook.
 */
export const rejectionReasons = [
  'canceled',
  'expired',
  'failed',
  'already_paid',
  'account_closed',
  'amount_mismatch',
  'rejected',
] as const;
export type RejectionReason = (typeof rejectionReasons)[number];

/** The codes of errors that ask for a retry, or are defects: they decide nothing about the payment. */
const UNDECIDED_CODES: readonly string[] = [
  'unavailable',
  'rate_limited',
  'internal_error',
] satisfies InterfaceErrorCode[];

/**
 * Whether an error of recording a payment rejects it. `invalid_request` does, beyond the account's largest balance, and so
 * does the veto of a hook, with `forbidden` or any other code, also one that its module adds. A payment that has arrived
 * must not wait for ever for a veto to end: it becomes an unapplied payment, which goes back. What this returns false for
 * stays an error, and the processor's report is repeated.
 */
export function rejectsPayment(error: unknown): error is DomainError {
  return error instanceof DomainError && !UNDECIDED_CODES.includes(error.code);
}

/** Failed attempts after which the payment needs attention. Their delays add up to about half a day. */
const MAX_ATTEMPTS = 10;
const MAX_DELAY_MINUTES = 360;

/** The failure reason of a payment whose return the processor has never responded to. Other reasons are its codes. */
const NO_RESPONSE = 'no_response';

/** A payment that cannot be applied to its payment request, and why. */
export type RejectedPayment = Pick<
  UnappliedPayment,
  'paymentRequestId' | 'amount' | 'currency' | 'processorReference' | 'reason'
>;

/**
 * A customer's payment that could not be applied to its payment request. It never belongs to the account, so the
 * journal does not contain it, and only operators see its events.
 */
export class UnappliedPayment extends EventSource {
  readonly accountId: string;
  readonly id: string;
  /** The payment request that the customer tried to pay. */
  readonly paymentRequestId: string;
  /** Minor units. */
  readonly amount: number;
  readonly currency: string;
  /** The processor's id of the payment; null for a payment that an operator recorded. */
  readonly processorReference: string | null;
  readonly reason: RejectionReason;
  status: UnappliedPaymentStatus;
  /** A code for why the payment needs attention. */
  failureReason: string | null;
  /** When the service next tries to return the payment; null when it does not. */
  dueAt: Date | null;
  /** The attempts of this round. */
  attempts: number;
  /** Numbers the returns that were begun, from 1. Each round is a separate refund at the processor. */
  round: number;
  readonly createdAt: Date;
  updatedAt: Date;
  returnedAt: Date | null;

  private constructor(fields: FieldsOf<UnappliedPayment>) {
    super();
    Object.assign(this, fields);
  }

  static create(
    rejected: RejectedPayment & Pick<UnappliedPayment, 'id' | 'accountId'>,
    at: Date,
  ): UnappliedPayment {
    return new UnappliedPayment({
      ...rejected,
      status: 'received',
      failureReason: null,
      dueAt: rejected.processorReference === null ? null : at,
      attempts: 0,
      round: 1,
      eventCount: 0,
      createdAt: at,
      updatedAt: at,
      returnedAt: null,
    }).addEvent('unapplied_payment.created', null);
  }

  isDue(now: Date): boolean {
    return this.dueAt !== null && this.dueAt <= now;
  }

  /** An attempt to return the payment begins. The next one is due later, whether or not this one is completed. */
  beginAttempt(now: Date): void {
    this.attempts += 1;
    const minutes = Math.min(2 ** (this.attempts - 1), MAX_DELAY_MINUTES);
    this.dueAt = new Date(now.getTime() + minutes * MINUTE_MS);
  }

  /** The processor did not respond to the attempt. */
  recordFailedAttempt(now: Date): void {
    if (this.status === 'received' && this.attempts >= MAX_ATTEMPTS) this.needAttention(NO_RESPONSE, now);
  }

  /**
   * Applies the processor's report on the return. Reports may arrive in any order: a return that succeeded may fail
   * later, but one that failed never succeeds. Reports on earlier rounds are ignored.
   */
  applyReport({ round, status, failureReason }: RefundReport, now: Date): void {
    if (round !== this.round) return;
    const failed = this.status === 'needs_attention' && this.failureReason !== NO_RESPONSE;
    switch (status) {
      case 'succeeded':
        if (this.status !== 'returned' && !failed) this.markReturned(now);
        return;
      case 'failed':
        if (this.status !== 'needs_attention') this.needAttention(failureReason ?? 'failed', now);
        return;
      case 'pending':
        // The processor has responded, so the attempt has not failed. The state is retrieved again later.
        this.attempts = 0;
        if (this.dueAt !== null) this.dueAt = new Date(now.getTime() + MAX_DELAY_MINUTES * MINUTE_MS);
    }
  }

  /** A person has returned the payment. A new round begins, so that later reports of the processor are ignored. */
  resolveAsReturned(now: Date): void {
    if (this.status === 'returned') return;
    this.round += 1;
    this.markReturned(now);
  }

  /** @throws DomainError `conflict` unless the payment needs attention */
  assertRetryable(): void {
    unappliedPaymentLifecycle.transition('retry', this.status);
  }

  retry(now: Date): void {
    this.status = unappliedPaymentLifecycle.transition('retry', this.status);
    this.failureReason = null;
    this.attempts = 0;
    this.round += 1;
    this.dueAt = now;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('unapplied_payment.updated', null);
  }

  private markReturned(now: Date): void {
    this.status = unappliedPaymentLifecycle.transition('markReturned', this.status);
    this.failureReason = null;
    this.dueAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.returnedAt = this.updatedAt;
    this.addEvent('unapplied_payment.returned', null);
  }

  private needAttention(failureReason: string, now: Date): void {
    this.status = unappliedPaymentLifecycle.transition('needAttention', this.status);
    this.failureReason = failureReason;
    this.returnedAt = null;
    this.dueAt = null;
    this.updatedAt = timeOfChange(this.updatedAt, now);
    this.addEvent('unapplied_payment.needs_attention', null);
  }
}

/** For reports of the operator. */
export abstract class UnappliedPaymentBacklogs {
  /** Counts the payments of all accounts that are not returned yet. */
  abstract backlogs(): Promise<{ readonly received: Backlog; readonly needsAttention: Backlog }>;
}
