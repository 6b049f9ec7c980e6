import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { Backlog } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { Account } from '../../../accounts';
import type { Principal } from '../../../auth';
import type { ReadonlyUnappliedPayment, UnappliedPayment } from './unapplied-payment';
import type { UnappliedPaymentFilter } from './unapplied-payments.repository';

/** A payment that cannot be applied to its payment request, and why. */
export type RejectedPayment = Pick<
  UnappliedPayment,
  'paymentRequestId' | 'amount' | 'currency' | 'processorReference' | 'reason'
>;

export abstract class UnappliedPayments {
  /** Whether a payment with that id of the processor is recorded. `tx` must have locked the account. */
  abstract isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean>;

  /** Whether any payment for a payment request is recorded. */
  abstract existsFor(accountId: string, paymentRequestId: string): Promise<boolean>;

  /** Counts the payments of all accounts that are not returned yet, for reports of the operator. */
  abstract backlogs(): Promise<{ readonly received: Backlog; readonly needsAttention: Backlog }>;

  /** Records a payment to an account that `tx` has locked. The caller saves the account. */
  abstract record(
    tx: Tx,
    account: Account,
    rejected: RejectedPayment,
    now: Date,
  ): Promise<ReadonlyUnappliedPayment>;

  /** @throws DomainError `forbidden` for callers who do not see all accounts; `invalid_request` for an unknown cursor */
  abstract list(
    caller: Principal,
    filter: UnappliedPaymentFilter,
    request: CursorRequest,
  ): Promise<CursorPage<ReadonlyUnappliedPayment>>;

  /** Finds an unapplied payment by its id, for those who see all accounts (see AccountScopedReader). */
  abstract search(
    caller: Principal,
    ...search: [text: string, filters: readonly UnappliedPaymentFilter[], limit: number]
  ): Promise<readonly ReadonlyUnappliedPayment[]>;

  /** @throws DomainError `forbidden`, `not_found` */
  abstract get(caller: Principal, id: string): Promise<ReadonlyUnappliedPayment>;

  /**
   * Resolves a payment that the service does not return by itself: a person has returned it, or the service tries
   * again.
   * @throws DomainError `forbidden`, `not_found`; `conflict` when the service is returning the payment or, for a retry,
   * when the payment does not need attention or the processor cannot return it
   */
  abstract resolve(
    caller: Principal,
    id: string,
    outcome: 'returned' | 'retry',
  ): Promise<ReadonlyUnappliedPayment>;
}
