import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { isId } from '../../../../kernel/ids';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail, systemActor } from '../../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../../platform/database/database';
import { AccountStore } from '../../../accounts';
import { AccountScopedReader, assertOperator, assertSeesAllAccounts, Principal } from '../../../auth';
import { describeAction, UnhealthyEndpoints, WebhookEndpoint } from '../webhook-endpoint';
import { WebhookEndpointFilter, WebhookEndpointsRepository } from '../webhook-endpoints.repository';
import { WebhookEndpoints } from '../webhook-endpoints.service';
import {
  DeliveriesFilter,
  DeliverySelection,
  FailedDeliveries,
  RedeliveredBatch,
  ReplaySelection,
  WebhookDeliveries,
  WebhookDeliveryFilter,
} from './webhook-deliveries';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery, webhookDeliveryLifecycle } from './webhook-delivery';

/** The deliveries that one request makes due: more would keep the endpoint locked for long. */
const MAX_REDELIVERIES = 10_000;

/** The deliveries that one request looks at, of many endpoints: as many as the longest page, which has a plan. */
const REDELIVERY_BATCH = 100;

/** The deliveries that one transaction of a replay makes due: more would keep the endpoint locked for long. */
const REPLAY_BATCH = 1_000;

type EndpointWork = (tx: Tx, endpoint: Readonly<WebhookEndpoint>, now: Date) => Promise<void>;

/** The deliveries of endpoints, for callers who may see these. */
@Injectable()
export class WebhookDeliveriesService implements WebhookDeliveries {
  /** For operators, also with an API key, which does not see the endpoints: what failed goes again where it went. */
  private readonly endpointsOfAll: AccountScopedReader<WebhookEndpoint, WebhookEndpointFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: WebhookDeliveriesRepository,
    private readonly endpointsRepository: WebhookEndpointsRepository,
    private readonly endpoints: WebhookEndpoints,
    private readonly accounts: AccountStore,
    private readonly audit: AuditTrail,
  ) {
    this.endpointsOfAll = new AccountScopedReader('whk', 'webhook endpoint', endpointsRepository);
  }

  /** @throws DomainError `not_found`, `forbidden` */
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

  /** Lists the deliveries to all endpoints. @throws DomainError `forbidden` for callers who do not see all accounts */
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

  /** Makes a delivery due at once, whatever its status. @throws DomainError `not_found`, `forbidden`, `conflict` */
  async redeliver(caller: Principal, endpointId: string, id: string): Promise<Readonly<WebhookDelivery>> {
    let redelivered: WebhookDelivery | null = null;
    await this.change(caller, endpointId, async (tx, endpoint, now) => {
      const { accountId } = endpoint;
      redelivered = isId('whd', id) ? await this.repository.lock(tx, accountId, id) : null;
      if (redelivered?.endpointId !== endpointId)
        throw new DomainError('not_found', 'There is no such delivery.');
      endpoint.assertEnabled();
      redelivered.redeliver(now);
      this.repository.save(tx, redelivered);
      this.makeDue(tx, endpoint, now);
      this.audit.recordByOperator(tx, caller, 'webhook_delivery.redeliver', redelivered);
    });
    return redelivered!;
  }

  /**
   * Makes failed deliveries due, the latest first.
   * @param since only those that were created at this time or later
   * @returns the count, and whether there may be more
   * @throws DomainError `not_found`, `forbidden`, `conflict`
   */
  async redeliverFailed(
    caller: Principal,
    endpointId: string,
    since: Date | null,
  ): Promise<{ count: number; hasMore: boolean }> {
    const from = since ?? new Date(0);
    const selection = { statuses: ['failed'], since: from, eventTypes: null, beforeId: null } as const;
    let count = 0;
    await this.change(caller, endpointId, async (tx, endpoint, now) => {
      endpoint.assertEnabled();
      count = (await this.repository.redeliver(tx, endpoint, selection, now, MAX_REDELIVERIES)).length;
      this.makeDue(tx, endpoint, now);
      this.audit.recordByOperator(tx, caller, 'webhook_endpoint.redeliver_failed', endpoint, { count });
    });
    return { count, hasMore: count === MAX_REDELIVERIES };
  }

  /**
   * Makes failed deliveries to all enabled endpoints due, one batch in each call, the latest first. What a repeated call
   * selects again is no longer failed.
   * @param startingAfter the last delivery of the batch before; undefined for the first batch
   * @throws DomainError `forbidden` for callers who are not operators, `not_found` for an unknown endpoint
   */
  async redeliverAll(
    caller: Principal,
    filter: Omit<DeliveriesFilter, 'status'>,
    startingAfter: string | undefined,
  ): Promise<RedeliveredBatch> {
    assertOperator(caller, 'Only operators deliver again to several webhook endpoints.');
    const { endpointId } = filter;
    const accountId = endpointId && (await this.endpointsOfAll.get(caller, endpointId)).accountId;
    const selection = { ...filter, accountId, status: 'failed' } as const;
    const page = { limit: REDELIVERY_BATCH, startingAfter };
    const { items, hasMore } = await this.repository.list(selection, page);
    const keys = items.map(({ accountId: ofAccount, endpointId: id }) => ({ accountId: ofAccount, id }));
    let count = 0;
    for (const { id } of await this.endpointsRepository.filterEnabled(keys)) {
      const deliveries = items.filter((delivery) => delivery.endpointId === id);
      count += await this.redeliverTo(caller, id, deliveries);
    }
    return { count, skipped: items.length - count, lastId: hasMore ? items.at(-1)!.id : null };
  }

  async countReplay(endpointId: string, selection: ReplaySelection): Promise<number> {
    const endpoint = await this.findReplayable(endpointId);
    return this.repository.count(endpoint, { ...selection, beforeId: null });
  }

  async replay(
    endpointId: string,
    selection: ReplaySelection,
    progress: (count: number) => void,
  ): Promise<number> {
    const endpoint = await this.findReplayable(endpointId);
    let count = 0;
    let beforeId: string | null = null;
    for (;;) {
      const ids = await this.replayBatch(endpoint, { ...selection, beforeId });
      count += ids.length;
      progress(count);
      if (ids.length < REPLAY_BATCH) return count;
      beforeId = ids.reduce((first, id) => (id < first ? id : first));
    }
  }

  private async findReplayable(endpointId: string): Promise<WebhookEndpoint> {
    const isWellFormed = isId(this.endpointsRepository.idPrefix, endpointId);
    return assertReplayable(isWellFormed ? await this.endpointsRepository.find(endpointId, null) : null);
  }

  private replayBatch(
    { accountId, id }: WebhookEndpoint,
    selection: DeliverySelection,
  ): Promise<readonly string[]> {
    return this.database.transaction(async (tx, now) => {
      const endpoint = assertReplayable(await this.endpointsRepository.lock(tx, accountId, id));
      const ids = await this.repository.redeliver(tx, endpoint, selection, now, REPLAY_BATCH);
      if (ids.length === 0) return ids;
      this.makeDue(tx, endpoint, now);
      this.audit.record(tx, systemActor, describeAction('replay', endpoint, { count: ids.length }));
      return ids;
    });
  }

  /** Makes the deliveries to one endpoint due, unless it was disabled meanwhile. @returns the count */
  private async redeliverTo(
    caller: Principal,
    endpointId: string,
    deliveries: readonly Readonly<WebhookDelivery>[],
  ): Promise<number> {
    const ids = deliveries.map(({ id }) => id);
    let count = 0;
    const work: EndpointWork = async (tx, endpoint, now) => {
      count = endpoint.isEnabled ? await this.repository.redeliverThese(tx, endpoint, ids, now) : 0;
      if (count === 0) return;
      this.makeDue(tx, endpoint, now);
      this.audit.recordByOperator(tx, caller, 'webhook_endpoint.redeliver_failed', endpoint, { count });
    };
    await this.change(caller, endpointId, work, this.endpointsOfAll);
    return count;
  }

  /** Locks an endpoint for `work`, which audits the change itself. */
  private async change(
    caller: Principal,
    id: string,
    work: EndpointWork,
    items: Pick<WebhookEndpoints, 'get' | 'lock'> = this.endpoints,
  ): Promise<void> {
    const change = { items, id, action: null };
    await this.accounts.change(caller, change, (tx, _account, endpoint, now) => work(tx, endpoint, now));
  }

  private makeDue(tx: Tx, endpoint: Readonly<WebhookEndpoint>, now: Date): void {
    endpoint.makeDue(now);
    this.endpointsRepository.save(tx, endpoint);
  }
}

function assertReplayable(endpoint: WebhookEndpoint | null): WebhookEndpoint {
  if (endpoint === null) throw new DomainError('not_found', 'There is no such webhook endpoint.');
  endpoint.assertEnabled();
  return endpoint;
}
