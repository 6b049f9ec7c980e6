import { Injectable } from '@nestjs/common';
import { Clock, SECOND_MS } from '../../../../kernel/clock';
import { EventRenderer } from '../../log/event';
import { EventFeed } from '../../log/event-feed.service';
import { isSlow, Pace } from '../delivery-pace';
import { WebhookAttempts, withoutResponse } from '../webhook-attempts.service';
import { WebhookEndpoint } from '../webhook-endpoint';
import { AttemptResult } from '../webhook-sender';
import { Attempted, EndpointLeases, Lease } from './endpoint-leases.service';
import { WebhookDelivery } from './webhook-delivery';
import { WebhookMetrics } from './webhook-metrics.service';

/** How many deliveries of a lease are sent at the same time. */
const CONCURRENCY = 10;

/** No attempt begins later than this after the lease. With the time limit of an attempt, it ends within the lease. */
const SENDING_MS = 5 * SECOND_MS;

/**
 * A request keeps the place of its endpoint for this time, and none begins in the place after it. A slow request takes less
 * time: one that is ended counts as slow.
 */
const PLACE_MS = 2.5 * SECOND_MS;

/** Gives back the place of an endpoint, to which the deliveries go on. @returns false, and nothing changes, when too many do */
export type LeavePlace = () => Promise<boolean>;

/**
 * Delivers to one endpoint at a time. The lease of the endpoint keeps other processes away, so the number of concurrent
 * requests to it is bounded. A process that dies leaves its results unrecorded, and after the lease another one sends the
 * same messages again.
 */
@Injectable()
export class EndpointDeliveries {
  constructor(
    private readonly leases: EndpointLeases,
    private readonly feed: EventFeed,
    private readonly renderer: EventRenderer,
    private readonly attempts: WebhookAttempts,
    private readonly clock: Clock,
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
    const lease = await this.leases.acquire(key, pace);
    if (lease === null) return;
    if ('failed' in lease) return this.metrics.recordFailures(lease.failed);
    const attempted = await this.sendAll(lease, stopping, leavePlace);
    if (await this.leases.record(lease, attempted, this.clock.now()))
      this.metrics.recordAttempts(attempted.map(({ delivery }) => delivery));
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
    const shouldContinue = (): boolean =>
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
      while (shouldContinue() && (await hasPlace())) {
        const delivery = waiting.shift();
        if (delivery === undefined) break; // another sender took the last one meanwhile
        attempted.push({ delivery, result: await this.send(endpoint, delivery, leavePlace) });
        if (senders < CONCURRENCY && shouldContinue()) more.push(send());
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
    const message = { id: eventId, body: JSON.stringify(this.renderer.renderIn(endpoint.apiVersion, event)) };
    if (leavePlace === null) return this.attempts.attempt(endpoint, message);
    const deadline = new AbortController();
    const leave = async (): Promise<void> => {
      if (!(await leavePlace())) deadline.abort();
    };
    const timer = setTimeout(() => void leave(), PLACE_MS); // it never throws
    return this.attempts.attempt(endpoint, message, deadline).finally(() => clearTimeout(timer));
  }
}
