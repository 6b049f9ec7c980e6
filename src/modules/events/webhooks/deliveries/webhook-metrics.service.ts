import { Injectable, OnModuleInit } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { Clock } from '../../../../kernel/clock';
import { readAgeGauge, readGauge } from '../../../../platform/telemetry/metrics';
import { WebhookDeliveriesRepository } from './webhook-deliveries.repository';
import { WebhookDelivery } from './webhook-delivery';
import { WebhookEndpointsRepository } from '../webhook-endpoints.repository';

/** Measures the deliveries: what waits, by reads that stop at a bound, and what this process has sent. */
@Injectable()
export class WebhookMetrics implements OnModuleInit {
  private readonly attempts: Counter<'outcome'>;
  private readonly failures: Counter;

  constructor(
    private readonly registry: Registry,
    private readonly deliveries: WebhookDeliveriesRepository,
    private readonly endpoints: WebhookEndpointsRepository,
    private readonly clock: Clock,
  ) {
    const registers = [registry];
    this.attempts = new Counter({
      name: 'countinghouse_webhook_attempts_total',
      help: 'Attempts at deliveries by outcome: succeeded or failed.',
      labelNames: ['outcome'],
      registers,
    });
    this.failures = new Counter({
      name: 'countinghouse_webhook_deliveries_failed_total',
      help: 'Deliveries that were given up, after all attempts or because their endpoint was disabled.',
      registers,
    });
  }

  onModuleInit(): void {
    readGauge(
      this.registry,
      {
        name: 'countinghouse_webhook_deliveries',
        help: 'Deliveries on all replicas together: pending, and those of them that are due. At most 10,000.',
        labelNames: ['state'],
      },
      async () => {
        const { pending, due } = await this.deliveries.countPending(this.clock.now());
        return [
          { labels: { state: 'pending' }, value: pending },
          { labels: { state: 'due' }, value: due },
        ];
      },
    );
    readAgeGauge(
      this.registry,
      {
        name: 'countinghouse_webhook_overdue_seconds',
        help: 'For how long the delivery that was due first has been due; 0 when none is due.',
      },
      this.clock,
      () => this.endpoints.earliestDue(),
    );
  }

  /** Counts attempts whose results are recorded. */
  recordAttempts(deliveries: readonly Pick<WebhookDelivery, 'error' | 'status'>[]): void {
    for (const { error } of deliveries)
      this.attempts.inc({ outcome: error === null ? 'succeeded' : 'failed' });
    this.recordFailures(deliveries.filter(({ status }) => status === 'failed').length);
  }

  recordFailures(count: number): void {
    this.failures.inc(count);
  }
}
