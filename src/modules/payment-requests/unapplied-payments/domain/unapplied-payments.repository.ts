import type { AccountOwnedFilter, Backlog } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { UnappliedPayment } from './unapplied-payment';
import type { UnappliedPaymentStatus } from './unapplied-payment.lifecycle';

export type UnappliedPaymentFilter = AccountOwnedFilter<UnappliedPayment, 'status' | 'reason'>;

export abstract class UnappliedPaymentsRepository extends AccountOwnedRepository<
  UnappliedPayment,
  UnappliedPaymentFilter
> {
  /** Whether a payment with that id of the processor is recorded. `tx` must have locked the account. */
  abstract isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean>;
  /** Whether any payment for a payment request is recorded. */
  abstract existsFor(accountId: string, paymentRequestId: string): Promise<boolean>;
  /** Counts the payments with a status in all accounts. */
  abstract backlog(status: UnappliedPaymentStatus): Promise<Backlog>;
  /** Finds payments that are due to be returned, the earliest first, without locks. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
}
