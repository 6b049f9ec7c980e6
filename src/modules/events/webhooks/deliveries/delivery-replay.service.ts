import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../../kernel/domain-error';
import { AuditTrail, systemActor } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { DeliveryReplay, DeliverySelection, ReplaySelection } from './webhook-deliveries';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookEndpoint } from '../webhook-endpoint';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';

/** The deliveries that one transaction makes due: more would keep the endpoint locked for long. */
const BATCH = 1_000;

@Injectable()
export class DeliveryReplayService extends DeliveryReplay {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  async count(endpointId: string, selection: ReplaySelection): Promise<number> {
    const endpoint = assertReplayable(await this.endpoints.find(endpointId, null));
    return this.deliveries.count(endpoint, { ...selection, beforeId: null });
  }

  async run(
    endpointId: string,
    selection: ReplaySelection,
    progress: (count: number) => void,
  ): Promise<number> {
    const key = assertReplayable(await this.endpoints.find(endpointId, null));
    let count = 0;
    let beforeId: string | null = null;
    for (;;) {
      const ids = await this.replayBatch(key, { ...selection, beforeId });
      count += ids.length;
      progress(count);
      if (ids.length < BATCH) return count;
      beforeId = ids.reduce((first, id) => (id < first ? id : first));
    }
  }

  private replayBatch(
    { accountId, id }: WebhookEndpoint,
    selection: DeliverySelection,
  ): Promise<readonly string[]> {
    return this.database.transaction(async (tx, now) => {
      const endpoint = assertReplayable(await this.endpoints.lock(tx, accountId, id));
      const ids = await this.deliveries.redeliver(tx, endpoint, selection, now, BATCH);
      if (ids.length === 0) return ids;
      endpoint.makeDue(now);
      this.endpoints.save(tx, endpoint);
      const details = { count: ids.length };
      this.audit.record(tx, systemActor, {
        action: 'webhook_endpoint.replay',
        objectId: id,
        accountId,
        details,
      });
      return ids;
    });
  }
}

function assertReplayable(endpoint: WebhookEndpoint | null): WebhookEndpoint {
  if (endpoint === null) throw new DomainError('not_found', 'There is no such webhook endpoint.');
  endpoint.assertEnabled();
  return endpoint;
}
