import type {
  AccountOwnedFilter,
  AmountFilter,
  AmountOrder,
} from '../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../platform/database/account-owned-repository';
import type { Tx } from '../../../platform/database/database';
import type { PaymentRequest } from './payment-request';

export type PaymentRequestFilter = AccountOwnedFilter<PaymentRequest> &
  AmountFilter &
  AmountOrder & {
    /** The last ten characters of the id. */
    readonly idSuffix?: string;
  };

export abstract class PaymentRequestsRepository extends AccountOwnedRepository<
  PaymentRequest,
  PaymentRequestFilter
> {
  abstract findIn(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null>;
  abstract findBySecrets(secrets: readonly string[]): Promise<PaymentRequest[]>;
  /** Finds pending requests that a simulated payment ends, the earliest first, without the excluded ids. */
  abstract findSimulated(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
  /** Locks the pending ones among `ids`. */
  abstract lockPending(tx: Tx, accountId: string, ids: readonly string[]): Promise<PaymentRequest[]>;
  /** Locks pending requests of an account, oldest first. */
  abstract lockAllPending(tx: Tx, accountId: string, limit: number): Promise<PaymentRequest[]>;
  /** Finds pending requests that have expired, the earliest first, without the excluded ids. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<{ accountId: string; id: string }[]>;
}
