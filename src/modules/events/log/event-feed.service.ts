import { Injectable } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '../../../kernel/clock';
import { Tx } from '../../../platform/database/tx';
import { readAgeGauge, readGauge } from '../../../platform/telemetry/metrics';
import { Event, EventFeed } from './event';
import { EventsRepository } from './events.repository';

/** The feed, with metrics of the events that no module has taken yet. */
@Injectable()
export class EventFeedService extends EventFeed {
  /** The account whose turn was last. */
  private last = '';

  constructor(
    private readonly repository: EventsRepository,
    registry: Registry,
    clock: Clock,
  ) {
    super();
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

  async dequeue(tx: Tx, limit: number): Promise<Event[]> {
    const { events, last } = await this.repository.dequeueFromFeed(tx, this.last, limit);
    this.last = last;
    return events;
  }

  find(accountId: string, id: string): Promise<Event | null> {
    return this.repository.find(id, accountId);
  }
}
