import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import type { UnhealthyEndpoints } from '../webhook-endpoint';
import type { WebhookDelivery, WebhookDeliveryStatus } from './webhook-delivery';

export type WebhookDeliveryFilter = Omit<AccountOwnedFilter<WebhookDelivery>, 'status'> & {
  readonly status?: WebhookDeliveryStatus | readonly WebhookDeliveryStatus[];
};

/** Deliveries of all endpoints, or of one. */
export type DeliveriesFilter = Pick<WebhookDeliveryFilter, 'endpointId' | 'status' | 'dateFrom' | 'dateTo'>;

/** What one request has done to the failed deliveries that it selects. */
export interface RedeliveredBatch {
  readonly count: number;
  /** How many stay failed, since their endpoint is disabled. */
  readonly skipped: number;
  /** The oldest delivery of the batch, after which the next one starts; null when nothing is left. */
  readonly lastId: string | null;
}

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

export type ReplaySelection = Omit<DeliverySelection, 'beforeId'>;

/** The deliveries of all accounts, for the operator of the service: for reports, and to deliver past events again. */
export abstract class WebhookDeliveries {
  /** Counts the failed deliveries. */
  abstract countFailed(): Promise<FailedDeliveries>;

  /** Counts the endpoints to which nothing is delivered. */
  abstract countUnhealthyEndpoints(): Promise<UnhealthyEndpoints>;

  /** Counts what `replay` would deliver. @throws DomainError `not_found`, `conflict` for a disabled endpoint */
  abstract countReplay(endpointId: string, selection: ReplaySelection): Promise<number>;

  /**
   * Makes the deliveries due, the latest first, which workers then make. Each delivery is made due once, also when it
   * ends meanwhile.
   * @param progress is called with the count so far, once per transaction
   * @returns the count
   * @throws DomainError `not_found`, `conflict` for a disabled endpoint
   */
  abstract replay(
    endpointId: string,
    selection: ReplaySelection,
    progress: (count: number) => void,
  ): Promise<number>;
}
