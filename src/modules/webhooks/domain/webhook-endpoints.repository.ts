import {
  AccountOwnedFilter,
  AccountOwnedRepository,
} from '../../../platform/database/account-owned-repository';
import { Tx } from '../../../platform/database/tx';
import { WebhookEndpoint } from './webhook-endpoint';

export type WebhookEndpointFilter = AccountOwnedFilter<WebhookEndpoint, never>;
type Key = Pick<WebhookEndpoint, 'accountId' | 'id'>;

export abstract class WebhookEndpointsRepository extends AccountOwnedRepository<
  WebhookEndpoint,
  WebhookEndpointFilter
> {
  /** All endpoints of an account that `tx` has locked. */
  abstract lockAllOf(tx: Tx, accountId: string): Promise<WebhookEndpoint[]>;
  abstract delete(tx: Tx, endpoint: Key): void;
  /** The enabled endpoints of accounts, without locks. */
  abstract findEnabledOf(tx: Tx, accountIds: readonly string[]): Promise<WebhookEndpoint[]>;
  /** Makes an endpoint due at `now`, or at the end of its pause, unless it is due before. */
  abstract scheduleDelivery(tx: Tx, endpoint: Key, now: Date): void;
  /** Finds endpoints that are due and not leased, the earliest first, without the excluded ids and without locks. */
  abstract findDue(
    now: Date,
    options: { readonly failing: boolean; readonly excludedIds: readonly string[]; readonly limit: number },
  ): Promise<Key[]>;
  /** When the endpoint that is due first became or becomes due; null when none will. */
  abstract earliestDue(): Promise<Date | null>;
  /** Finds endpoints whose owners are to be told that they were disabled. */
  abstract findDueNotices(now: Date, excludedIds: readonly string[], limit: number): Promise<Key[]>;
  /** Finds endpoints with a secret that was encrypted with one of the keys. */
  abstract findEncryptedWith(keyIds: readonly string[], limit: number): Promise<Key[]>;
}
