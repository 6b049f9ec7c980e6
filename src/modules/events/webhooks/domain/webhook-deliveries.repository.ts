import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { WebhookDelivery } from './webhook-delivery';
import type { WebhookDeliveryStatus } from './webhook-delivery.lifecycle';
import type { WebhookEndpoint } from './webhook-endpoint';

type EndpointKey = Pick<WebhookEndpoint, 'accountId' | 'id'>;
export type WebhookDeliveryFilter = AccountOwnedFilter<WebhookDelivery, 'endpointId' | 'status'>;

/** Deliveries that have ended. */
export interface DeliverySelection {
  readonly statuses: readonly Exclude<WebhookDeliveryStatus, 'pending'>[];
  /** Those that were created at this time or later. */
  readonly since: Date;
  /** The types of their events; null for all. */
  readonly eventTypes: readonly string[] | null;
  /** Only those that were created before the delivery with this id; null for all. */
  readonly beforeId: string | null;
}

export interface FailedDeliveries {
  readonly count: number;
  /** Whether the count has reached its limit, so that there may be more. */
  readonly isCut: boolean;
  readonly oldest: Readonly<WebhookDelivery> | null;
}

/** The deliveries of an endpoint. A caller that changes them has locked the endpoint. */
export abstract class WebhookDeliveriesRepository extends AccountOwnedRepository<
  WebhookDelivery,
  WebhookDeliveryFilter
> {
  abstract addAll(tx: Tx, deliveries: readonly WebhookDelivery[]): void;
  /** Finds due deliveries of an endpoint, the earliest first. */
  abstract findDue(tx: Tx, endpoint: EndpointKey, now: Date, limit: number): Promise<WebhookDelivery[]>;
  /** When the next delivery of the endpoint is due; null without a pending one. */
  abstract nextAttemptAt(tx: Tx, endpoint: EndpointKey): Promise<Date | null>;
  /** Counts the pending deliveries of all endpoints, and those of them that are due, each up to 10,000. */
  abstract countPending(now: Date): Promise<{ pending: number; due: number }>;
  /** Lets up to `limit` pending deliveries of a disabled endpoint fail. @returns the count */
  abstract failPending(tx: Tx, endpoint: EndpointKey, limit: number): Promise<number>;
  /** Makes up to `limit` of the selected deliveries due, the latest first. @returns their ids */
  abstract redeliver(
    tx: Tx,
    endpoint: EndpointKey,
    selection: DeliverySelection,
    now: Date,
    limit: number,
  ): Promise<readonly string[]>;
  /** Counts the failed deliveries of all endpoints, up to 10,000, and returns the oldest of them. */
  abstract failed(): Promise<FailedDeliveries>;
  abstract count(endpoint: EndpointKey, selection: DeliverySelection): Promise<number>;
  /** Deletes a bounded number of deliveries that were created before then. @returns whether there may be more */
  abstract deleteOld(before: Date): Promise<boolean>;
}
