import type { Tx, WriteTx } from '../../../../platform/database/tx';
import type { HostedCheckout } from './hosted-checkout';

export abstract class HostedCheckoutsRepository {
  abstract find(accountId: string, paymentRequestId: string): Promise<HostedCheckout | null>;
  abstract exists(tx: Tx, accountId: string, paymentRequestId: string): Promise<boolean>;
  abstract lock(tx: Tx, accountId: string, paymentRequestId: string): Promise<HostedCheckout | null>;
  abstract add(tx: Tx, checkout: HostedCheckout): void;
  abstract save(tx: Tx, checkout: HostedCheckout): void;
  /** Makes a live checkout due for a status check. */
  abstract makeDue(tx: WriteTx, accountId: string, paymentRequestId: string, now: Date): void;
  /** Makes all live checkouts of an account due for a status check. */
  abstract makeAllDue(tx: WriteTx, accountId: string, now: Date): void;
  /** Finds checkouts that are due for a status check, the earliest first; `id` is the payment request's. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
}
