import { Injectable, OnModuleInit } from '@nestjs/common';
import { Registry } from 'prom-client';
import { Clock } from '../../../../kernel/clock';
import { readAgeGauge, readGauge } from '../../../../platform/telemetry/metrics';
import { EventsRepository } from '../domain/events.repository';

/** Measures the feed: the events that no module has taken yet. */
@Injectable()
export class EventMetrics implements OnModuleInit {
  constructor(
    private readonly registry: Registry,
    private readonly repository: EventsRepository,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    readGauge(
      this.registry,
      {
        name: 'countinghouse_events_waiting',
        help: 'Events on all replicas together that are not yet deliveries of webhooks. At most 10,000.',
        labelNames: [],
      },
      async () => [{ labels: {}, value: await this.repository.countOnFeed() }],
    );
    readAgeGauge(
      this.registry,
      {
        name: 'countinghouse_events_waiting_seconds',
        help: 'For how long the oldest of them has waited; 0 when there is none.',
      },
      this.clock,
      () => this.repository.oldestOnFeed(),
    );
  }
}
