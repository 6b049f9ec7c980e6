import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { isId } from '../../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
import { AccountStore } from '../../../accounts';
import { assertOperator, assertSeesAllAccounts, Principal } from '../../../auth';
import { UnhealthyEndpoints } from '../webhook-endpoint';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';
import { WebhookEndpoints } from '../webhook-endpoints.service';
import {
  DeliveriesFilter,
  FailedDeliveries,
  RedeliveredBatch,
  WebhookDeliveries,
  WebhookDeliveryFilter,
} from './webhook-deliveries';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery, webhookDeliveryLifecycle } from './webhook-delivery';

/** The deliveries that one request makes due: more would keep the endpoint locked for long. */
const MAX_REDELIVERIES = 10_000;

/** The deliveries that one request looks at, of many endpoints: as many as the longest page, which has a plan. */
const REPLAY_BATCH = 100;

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

  async listAll(
    caller: Principal,
    { status = webhookDeliveryLifecycle.states, ...filter }: DeliveriesFilter,
    page: CursorRequest,
  ): Promise<CursorPage<Readonly<WebhookDelivery>>> {
    assertSeesAllAccounts(
      caller,
      'Only the back office and platform systems see the deliveries to all webhook endpoints.',
    );
    return this.repository.list({ ...filter, status }, page);
  }

  countFailed(): Promise<FailedDeliveries> {
    return this.repository.countFailed();
  }

  countUnhealthyEndpoints(): Promise<UnhealthyEndpoints> {
    return this.endpointsRepository.countUnhealthy();
  }

  async redeliverAll(
    caller: Principal,
    filter: Omit<DeliveriesFilter, 'status'>,
    startingAfter: string | undefined,
  ): Promise<RedeliveredBatch> {
    assertOperator(caller, 'Only operators deliver again to several webhook endpoints.');
    const { endpointId } = filter;
    const accountId = endpointId && (await this.endpoints.get(caller, endpointId)).accountId;
    const selection = { ...filter, accountId, status: 'failed' } as const;
    const { items, hasMore } = await this.repository.list(selection, { limit: REPLAY_BATCH, startingAfter });
    const keys = items.map(({ accountId: ofAccount, endpointId: id }) => ({ accountId: ofAccount, id }));
    let count = 0;
    for (const { id } of await this.endpointsRepository.filterEnabled(keys)) {
      const deliveries = items.filter((delivery) => delivery.endpointId === id);
      count += await this.redeliverTo(caller, id, deliveries);
    }
    return { count, skipped: items.length - count, lastId: hasMore ? items.at(-1)!.id : null };
  }

  /** Makes the deliveries to one endpoint due, unless it was disabled meanwhile. @returns the count */
  private async redeliverTo(
    caller: Principal,
    endpointId: string,
    deliveries: readonly Readonly<WebhookDelivery>[],
  ): Promise<number> {
    let count = 0;
    const change = { items: this.endpoints, id: endpointId, action: null };
    await this.accounts.change(caller, change, async (tx, _account, endpoint, now) => {
      const ids = deliveries.map(({ id }) => id);
      count = endpoint.isEnabled ? await this.repository.redeliverThese(tx, endpoint, ids, now) : 0;
      if (count === 0) return;
      endpoint.makeDue(now);
      this.endpointsRepository.save(tx, endpoint);
      this.audit.recordByOperator(tx, caller, 'webhook_endpoint.redeliver_failed', endpoint, { count });
    });
    return count;
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
