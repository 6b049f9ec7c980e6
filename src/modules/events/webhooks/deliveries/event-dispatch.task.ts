import { Injectable } from '@nestjs/common';
import { Database } from '../../../../platform/database/database';
import type { PeriodicTask } from '../../../../platform/jobs/periodic-tasks';
import { EventFeed } from '../../log/event-feed.service';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery } from './webhook-delivery';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';

/** The events of one transaction, and so those of one account in its turn. */
const BATCH = 250;

/**
 * Turns events into deliveries, in the transaction that takes them off the feed: one for each endpoint of the account that
 * takes the type. An endpoint that is disabled or deleted at the same time gets a delivery that fails, or none.
 */
@Injectable()
export class EventDispatch implements PeriodicTask {
  readonly name = 'webhook events';
  readonly intervalMs = 250;
  readonly wokenBy = ['event_outbox'];

  constructor(
    private readonly database: Database,
    private readonly feed: EventFeed,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly deliveries: WebhookDeliveriesRepository,
  ) {}

  run(): Promise<boolean> {
    return this.database.transaction(async (tx, now) => {
      const events = await this.feed.dequeue(tx, BATCH);
      if (events.length === 0) return false;
      const accountIds = [...new Set(events.map(({ accountId }) => accountId))];
      const endpoints = await this.endpoints.findEnabledOf(tx, accountIds);
      const due = endpoints.map((endpoint) => ({
        endpoint,
        events: events.filter(
          (one) => one.accountId === endpoint.accountId && endpoint.isSubscribedTo(one.type),
        ),
      }));
      const create = ({ endpoint, events: subscribed }: (typeof due)[number]): WebhookDelivery[] =>
        subscribed.map((event) => WebhookDelivery.create(endpoint, event, now));
      this.deliveries.addAll(tx, due.flatMap(create));
      // The order of the ids, in which endpoints are read, prevents deadlocks.
      for (const { endpoint, events: subscribed } of due)
        if (subscribed.length > 0) this.endpoints.scheduleDelivery(tx, endpoint, now);
      return events.length === BATCH;
    });
  }
}
