import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '../../../kernel/clock';
import { Tx } from '../../../platform/database/database';
import { readAgeGauge, readGauge } from '../../../platform/telemetry/metrics';
import { Event } from './event';
import { EventsRepository } from './events.repository';

/**
 * The events that a module delivers to other systems: those that are recorded while the account has them delivered (see
 * Account.deliverEvents). Its metrics tell of those that no module has taken yet.
 */
@Injectable()
export class EventFeed {
  /** The account whose turn was last. */
  private last = '';

  constructor(
    private readonly repository: EventsRepository,
    registry: Registry,
    clock: Clock,
  ) {
    readGauge(
      registry,
      {
        name: 'countinghouse_events_waiting',
        help: 'Events on all replicas together that are not yet deliveries of webhooks. At most 10,000.',
        labelNames: [],
      },
      async () => [{ labels: {}, value: await repository.countOnFeed() }],
    );
    readAgeGauge(
      registry,
      {
        name: 'countinghouse_events_waiting_seconds',
        help: 'For how long the oldest of them has waited; 0 when there is none.',
      },
      clock,
      () => repository.oldestOnFeed(),
    );
  }

  /**
   * Removes events from the feed, the oldest of each account first. They are on it again if `tx` is rolled back, so the
   * caller records in `tx` what is to be delivered to whom. Several callers at a time get different events.
   *
   * Accounts take turns: one with more events than the callers can take delays the others by `limit` of its events.
   */
  async dequeue(tx: Tx, limit: number): Promise<Event[]> {
    const { events, last } = await this.repository.dequeueFromFeed(tx, this.last, limit);
    this.last = last;
    return events;
  }

  /** @returns null for an event that does not exist or is older than 30 days */
  find(accountId: string, id: string): Promise<Event | null> {
    return this.repository.find(id, accountId);
  }
}
