import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { isId } from '../../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
import { AccountStore } from '../../../accounts';
import { Principal } from '../../../auth';
import { FailedDeliveries, WebhookDeliveries, WebhookDeliveryFilter } from './webhook-deliveries';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery } from './webhook-delivery';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';
import { WebhookEndpoints } from '../webhook-endpoints.service';

/** The deliveries that one request makes due: more would keep the endpoint locked for long. */
const MAX_REDELIVERIES = 10_000;

@Injectable()
export class WebhookDeliveriesService extends WebhookDeliveries {
  constructor(
    private readonly repository: WebhookDeliveriesRepository,
    private readonly endpointsRepository: WebhookEndpointsRepository,
    private readonly endpoints: WebhookEndpoints,
    private readonly accounts: AccountStore,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async list(
    caller: Principal,
    endpointId: string,
    filter: Omit<WebhookDeliveryFilter, 'endpointId'>,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookDelivery>>> {
    const { accountId } = await this.endpoints.get(caller, endpointId);
    if (filter.accountId !== undefined && filter.accountId !== accountId)
      return { items: [], hasMore: false };
    return this.repository.list({ ...filter, accountId, endpointId }, page);
  }

  failed(): Promise<FailedDeliveries> {
    return this.repository.failed();
  }

  async redeliver(caller: Principal, endpointId: string, id: string): Promise<Readonly<WebhookDelivery>> {
    let redelivered: WebhookDelivery | null = null;
    const change = { items: this.endpoints, id: endpointId, action: null };
    await this.accounts.change(caller, change, async (tx, _account, endpoint, now) => {
      const { accountId } = endpoint;
      redelivered = isId('whd', id) ? await this.repository.lock(tx, accountId, id) : null;
      if (redelivered?.endpointId !== endpointId)
        throw new DomainError('not_found', 'There is no such delivery.');
      endpoint.assertEnabled();
      redelivered.redeliver(now);
      this.repository.save(tx, redelivered);
      endpoint.makeDue(now);
      this.endpointsRepository.save(tx, endpoint);
      this.audit.recordByOperator(tx, caller, 'webhook_delivery.redeliver', redelivered);
    });
    return redelivered!;
  }

  async redeliverFailed(
    caller: Principal,
    endpointId: string,
    since: Date | null,
  ): Promise<{ count: number; hasMore: boolean }> {
    let count = 0;
    const change = { items: this.endpoints, id: endpointId, action: null };
    await this.accounts.change(caller, change, async (tx, _account, endpoint, now) => {
      endpoint.assertEnabled();
      const selection = {
        statuses: ['failed'],
        since: since ?? new Date(0),
        eventTypes: null,
        beforeId: null,
      } as const;
      const ids = await this.repository.redeliver(tx, endpoint, selection, now, MAX_REDELIVERIES);
      count = ids.length;
      endpoint.makeDue(now);
      this.endpointsRepository.save(tx, endpoint);
      this.audit.recordByOperator(tx, caller, 'webhook_endpoint.redeliver_failed', endpoint, { count });
    });
    return { count, hasMore: count === MAX_REDELIVERIES };
  }
}
