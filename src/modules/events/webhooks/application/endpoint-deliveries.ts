import { Injectable } from '@nestjs/common';
import { Clock, SECOND_MS } from '../../../../kernel/clock';
import { AuditTrail, systemActor } from '../../../../platform/audit/audit-trail';
import { Database } from '../../../../platform/database/database';
import { EventFeed } from '../../log/application/event-feed';
import { eventResponse } from '../../log/domain/event';
import { WebhookDeliveriesRepository } from '../domain/webhook-deliveries.repository';
import { WebhookDelivery } from '../domain/webhook-delivery';
import { isSlow, Pace, WebhookEndpoint } from '../domain/webhook-endpoint';
import { WebhookEndpointsRepository } from '../domain/webhook-endpoints.repository';
import { AttemptResult } from '../domain/webhook-sender';
import { WebhookAttempts, withoutResponse } from './webhook-attempts';
import { WebhookMetrics } from './webhook-metrics';

/** The deliveries of one lease, and how many of them are sent at the same time. Only a fast endpoint gets more than one. */
const BATCH = 50;
const CONCURRENCY = 10;

/** No attempt begins later than this after the lease. With the time limit of an attempt, it ends within the lease. */
const SENDING_MS = 5 * SECOND_MS;
const LEASE_MS = 60 * SECOND_MS;

/** The pending deliveries of a disabled endpoint that fail in one transaction. */
const FAIL_BATCH = 1_000;

/**
 * A request keeps the place of its endpoint for this time, and none begins in the place after it. A slow request takes less
 * time: one that is ended counts as slow.
 */
const PLACE_MS = 2.5 * SECOND_MS;

/** Gives back the place of an endpoint, to which the deliveries go on. @returns false, and nothing changes, when too many do */
export type LeavePlace = () => Promise<boolean>;

interface Lease {
  readonly endpoint: WebhookEndpoint;
  readonly until: Date;
  readonly deliveries: readonly WebhookDelivery[];
}

interface Attempted {
  readonly delivery: WebhookDelivery;
  readonly result: AttemptResult;
}

/**
 * Delivers to one endpoint at a time. The lease of the endpoint keeps other processes away, so the number of concurrent
 * requests to it is bounded. A process that dies leaves its results unrecorded, and after the lease another one sends the
 * same messages again.
 */
@Injectable()
export class EndpointDeliveries {
  constructor(
    private readonly database: Database,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly feed: EventFeed,
    private readonly attempts: WebhookAttempts,
    private readonly clock: Clock,
    private readonly audit: AuditTrail,
    private readonly metrics: WebhookMetrics,
  ) {}

  /**
   * Sends a batch of what is due, unless another process delivers to the endpoint or its pace is another one by now.
   * @param leavePlace is called after PLACE_MS; null when the delivery keeps its place until its end
   */
  async deliver(
    key: { readonly accountId: string; readonly id: string },
    pace: Pace,
    stopping: AbortSignal,
    leavePlace: LeavePlace | null,
  ): Promise<void> {
    const lease = await this.acquireLease(key, pace);
    if (lease === null) return;
    if ('failed' in lease) return this.metrics.gaveUp(lease.failed);
    const attempted = await this.sendAll(lease, stopping, leavePlace);
    if (await this.record(lease, attempted))
      this.metrics.attempted(attempted.map(({ delivery }) => delivery));
  }

  /** @returns null when nothing is due; the number of deliveries that failed with a disabled endpoint */
  private acquireLease(
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

  /**
   * Begins with one request; each response in time lets one more run at the same time. Begins no further attempts when all
   * have failed so far or one was slow: that is the endpoint, and the rest waits for its turn.
   */
  private async sendAll(
    { endpoint, deliveries }: Lease,
    stopping: AbortSignal,
    leavePlace: LeavePlace | null,
  ): Promise<Attempted[]> {
    const startedAt = this.clock.now().getTime();
    const elapsedMs = (): number => this.clock.now().getTime() - startedAt;
    const waiting = [...deliveries];
    const attempted: Attempted[] = [];
    const goesOn = (): boolean =>
      waiting.length > 0 &&
      !stopping.aborted &&
      elapsedMs() < SENDING_MS &&
      !attempted.some(({ result }) => isSlow(result)) &&
      (attempted.length === 0 || attempted.some(({ result }) => result.error === null));
    const hasPlace = async (): Promise<boolean> =>
      leavePlace === null || elapsedMs() < PLACE_MS || (await leavePlace());
    let senders = 0;
    const send = async (): Promise<void> => {
      senders += 1;
      const more: Promise<void>[] = [];
      while (goesOn() && (await hasPlace())) {
        const delivery = waiting.shift();
        if (delivery === undefined) break; // another sender took the last one meanwhile
        attempted.push({ delivery, result: await this.send(endpoint, delivery, leavePlace) });
        if (senders < CONCURRENCY && goesOn()) more.push(send());
      }
      await Promise.all(more);
    };
    await send();
    return attempted;
  }

  private async send(
    endpoint: WebhookEndpoint,
    { accountId, eventId }: WebhookDelivery,
    leavePlace: LeavePlace | null,
  ): Promise<AttemptResult> {
    const event = await this.feed.find(accountId, eventId);
    if (event === null) return withoutResponse('event_expired');
    const message = { id: eventId, body: JSON.stringify(eventResponse(event)) };
    if (leavePlace === null) return this.attempts.attempt(endpoint, message);
    const deadline = new AbortController();
    const leave = async (): Promise<void> => {
      if (!(await leavePlace())) deadline.abort();
    };
    const timer = setTimeout(() => void leave(), PLACE_MS); // it never throws
    return this.attempts.attempt(endpoint, message, deadline).finally(() => clearTimeout(timer));
  }

  /** @returns false, with nothing recorded, when the lease was lost: its new owner sends the same messages */
  private record(
    { endpoint: { accountId, id }, until }: Lease,
    attempted: readonly Attempted[],
  ): Promise<boolean> {
    const recordedAt = this.clock.now();
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
      if (wasEnabled && !endpoint.isEnabled)
        this.audit.record(tx, systemActor, {
          action: 'webhook_endpoint.disable',
          objectId: id,
          accountId,
          details: { reason: endpoint.disabledReason },
        });
      return true;
    });
  }
}
