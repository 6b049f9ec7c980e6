import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { WebhookEndpoint } from './webhook-endpoint';

export type WebhookEndpointFilter = AccountOwnedFilter<WebhookEndpoint, 'apiKeyId'>;
type Key = Pick<WebhookEndpoint, 'accountId' | 'id'>;
export type DuePosition = Pick<WebhookEndpoint, 'nextDueAt' | 'id'>;

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
  /**
   * Finds endpoints that are due and not leased, the earliest first, without locks.
   * @param after the last endpoint of the page before; null for the first page
   */
  abstract findDue(now: Date, after: DuePosition | null, limit: number): Promise<WebhookEndpoint[]>;
  /** When the endpoint that is due first became or becomes due; null when none will. */
  abstract earliestDue(): Promise<Date | null>;
  /** Finds enabled endpoints of API keys that have expired. */
  abstract findOfExpiredKeys(now: Date, excludedIds: readonly string[], limit: number): Promise<Key[]>;
  /** Finds endpoints with a secret that was encrypted with one of the keys. */
  abstract findEncryptedWith(keyIds: readonly string[], limit: number): Promise<Key[]>;
}
