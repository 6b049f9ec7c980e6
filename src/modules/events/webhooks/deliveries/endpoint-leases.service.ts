import { Injectable } from '@nestjs/common';
import { SECOND_MS } from '../../../../kernel/clock';
import { AuditTrail, systemActor } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { Pace } from '../delivery-pace';
import { describeDisabling, WebhookEndpoint } from '../webhook-endpoint';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';
import { AttemptResult } from '../webhook-sender';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery } from './webhook-delivery';

/** The deliveries of one lease. Only a fast endpoint gets more than one. */
const BATCH = 50;

const LEASE_MS = 60 * SECOND_MS;

/** The pending deliveries of a disabled endpoint that fail in one transaction. */
const FAIL_BATCH = 1_000;

export interface Lease {
  readonly endpoint: WebhookEndpoint;
  readonly until: Date;
  readonly deliveries: readonly WebhookDelivery[];
}

export interface Attempted {
  readonly delivery: WebhookDelivery;
  readonly result: AttemptResult;
}

/** Reserves endpoints for this process, and records what it has sent to them. */
@Injectable()
export class EndpointLeases {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * @returns null when nothing is due, or the pace is another one by now; the number of deliveries that failed with a
   * disabled endpoint
   */
  acquire(
    { accountId, id }: { accountId: string; id: string },
    pace: Pace,
  ): Promise<Lease | { readonly failed: number } | null> {
    return this.database.transaction(async (tx, now) => {
      const endpoint = await this.endpoints.lock(tx, accountId, id);
      if (!endpoint?.isDue(now) || endpoint.pace(now) !== pace) return null;
      if (!endpoint.isEnabled) {
        const failed = await this.deliveries.failPending(tx, endpoint, FAIL_BATCH);
        endpoint.release(await this.deliveries.nextAttemptAt(tx, endpoint), now);
        this.endpoints.save(tx, endpoint);
        return { failed };
      }
      const limit = pace === 'fast' ? BATCH : 1;
      const deliveries = await this.deliveries.findDue(tx, endpoint, now, limit);
      const until = new Date(now.getTime() + LEASE_MS);
      if (deliveries.length > 0) endpoint.lease(until);
      else endpoint.release(await this.deliveries.nextAttemptAt(tx, endpoint), now);
      this.endpoints.save(tx, endpoint);
      return deliveries.length > 0 ? { endpoint, until, deliveries } : null;
    });
  }

  /** @returns false, with nothing recorded, when the lease was lost: its new owner sends the same messages */
  record(
    { endpoint: { accountId, id }, until }: Lease,
    attempted: readonly Attempted[],
    recordedAt: Date,
  ): Promise<boolean> {
    // Once only: the transaction may run again.
    for (const { delivery, result } of attempted) delivery.record(result, recordedAt);
    return this.database.transaction(async (tx, now) => {
      const endpoint = await this.endpoints.lock(tx, accountId, id);
      if (!endpoint?.isLeasedUntil(until)) return false;
      for (const { delivery } of attempted) this.deliveries.save(tx, delivery);
      const wasEnabled = endpoint.isEnabled;
      const results = attempted.map(({ result }) => result).filter(({ error }) => error !== 'event_expired');
      endpoint.recordAttempts(results, now);
      endpoint.release(await this.deliveries.nextAttemptAt(tx, endpoint), now);
      this.endpoints.save(tx, endpoint);
      if (wasEnabled && !endpoint.isEnabled) this.audit.record(tx, systemActor, describeDisabling(endpoint));
      return true;
    });
  }
}
