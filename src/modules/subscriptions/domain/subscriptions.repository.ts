import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { Subscription } from './subscription';
import { SubscriptionStatus } from './subscription.lifecycle';

export interface SubscriptionFilter {
  readonly accountId?: string;
  readonly status?: SubscriptionStatus;
  readonly customerEmail?: string;
  readonly reference?: string;
  /** Inclusive bounds of the creation. */
  readonly from?: Date;
  readonly to?: Date;
}

export type SubscriptionKey = Pick<Subscription, 'accountId' | 'id'>;

export abstract class SubscriptionsRepository {
  /** Within one account, or (accountId null) in any. */
  abstract find(id: string, accountId: string | null): Promise<Subscription | null>;
  abstract list(filter: SubscriptionFilter, request: CursorRequest): Promise<CursorPage<Subscription>>;
  abstract lock(tx: Tx, accountId: string, id: string): Promise<Subscription | null>;
  abstract add(tx: Tx, subscription: Subscription): void;
  abstract save(tx: Tx, subscription: Subscription): void;
  abstract countActive(tx: Tx, accountId: string): Promise<number>;
  /** Those whose next period has begun, but those of `except`; those that wait longest first. */
  abstract due(now: Date, except: readonly string[], limit: number): Promise<SubscriptionKey[]>;
}
