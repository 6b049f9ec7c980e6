import type { AccountOwnedFilter } from '../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../platform/database/account-owned-repository';
import type { ReadTx, Tx } from '../../../platform/database/tx';
import type { Subscription } from './subscription';

export type SubscriptionFilter = AccountOwnedFilter<Subscription, 'status' | 'customerEmail' | 'reference'>;

export abstract class SubscriptionsRepository extends AccountOwnedRepository<
  Subscription,
  SubscriptionFilter
> {
  abstract countActive(tx: ReadTx, accountId: string): Promise<number>;
  /** Locks those of a locked account whose next period has begun, the earliest first. */
  abstract lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Subscription[]>;
  /** Finds active subscriptions whose next period has begun, the earliest first. */
  abstract findDue(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<Pick<Subscription, 'accountId' | 'id'>[]>;
}
