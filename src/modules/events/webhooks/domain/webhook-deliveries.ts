import type { CursorPage, CursorRequest } from '../../../../kernel/pages';
import type { Principal } from '../../../auth';
import type { FailedDeliveries, WebhookDeliveryFilter } from './webhook-deliveries.repository';
import type { WebhookDelivery } from './webhook-delivery';

/** The deliveries of an endpoint, for callers who may see the endpoint. */
export abstract class WebhookDeliveries {
  /** @throws DomainError `not_found`, `forbidden`; `invalid_request` for a cursor that is no delivery of the endpoint */
  abstract list(
    caller: Principal,
    endpointId: string,
    filter: Omit<WebhookDeliveryFilter, 'endpointId'>,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookDelivery>>>;

  /** Counts the failed deliveries of all accounts, for reports of the operator. */
  abstract failed(): Promise<FailedDeliveries>;

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
