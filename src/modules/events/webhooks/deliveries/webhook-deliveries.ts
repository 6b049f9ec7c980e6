import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import type { Principal } from '../../../auth';
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

/** The deliveries of an endpoint, for callers who may see the endpoint. */
export abstract class WebhookDeliveries {
  /** @throws DomainError `not_found`, `forbidden` */
  abstract list(
    caller: Principal,
    endpointId: string,
    filter: Omit<WebhookDeliveryFilter, 'endpointId'>,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookDelivery>>>;

  /** Lists the deliveries to all endpoints. @throws DomainError `forbidden` for callers who do not see all accounts */
  abstract listAll(
    caller: Principal,
    filter: DeliveriesFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookDelivery>>>;

  /** Counts the failed deliveries of all accounts, for reports of the operator. */
  abstract countFailed(): Promise<FailedDeliveries>;

  /** Counts the endpoints of all accounts to which nothing is delivered, for reports of the operator. */
  abstract countUnhealthyEndpoints(): Promise<UnhealthyEndpoints>;

  /**
   * Makes failed deliveries to all enabled endpoints due, one batch in each call, the latest first. What a repeated call
   * selects again is no longer failed.
   * @param startingAfter the last delivery of the batch before; undefined for the first batch
   * @throws DomainError `forbidden` for callers who are not operators, `not_found` for an unknown endpoint
   */
  abstract redeliverAll(
    caller: Principal,
    filter: Omit<DeliveriesFilter, 'status'>,
    startingAfter: string | undefined,
  ): Promise<RedeliveredBatch>;

  /** Makes a delivery due at once, whatever its status. @throws DomainError `not_found`, `forbidden`, `conflict` */
  abstract redeliver(caller: Principal, endpointId: string, id: string): Promise<Readonly<WebhookDelivery>>;

  /**
   * Makes failed deliveries due, the latest first.
   * @param since only those that were created at this time or later
   * @returns the count, and whether there may be more
   * @throws DomainError `not_found`, `forbidden`, `conflict`
   */
  abstract redeliverFailed(
    caller: Principal,
    endpointId: string,
    since: Date | null,
  ): Promise<{ count: number; hasMore: boolean }>;
}

export type ReplaySelection = Omit<DeliverySelection, 'beforeId'>;

/** Delivers past events to an endpoint again, on behalf of the operator of the service. */
export abstract class DeliveryReplay {
  /** Counts what `run` would deliver. @throws DomainError `not_found`, `conflict` for a disabled endpoint */
  abstract count(endpointId: string, selection: ReplaySelection): Promise<number>;

  /**
   * Makes the deliveries due, the latest first, which workers then make. Each delivery is made due once, also when it
   * ends meanwhile.
   * @param progress is called with the count so far, once per transaction
   * @returns the count
   * @throws DomainError `not_found`, `conflict` for a disabled endpoint
   */
  abstract run(
    endpointId: string,
    selection: ReplaySelection,
    progress: (count: number) => void,
  ): Promise<number>;
}
