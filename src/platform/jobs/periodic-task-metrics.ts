import { Counter, Gauge, type Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock';
import { readGauge } from '../telemetry/metrics';
import type { DueItems } from './due-items';

/** Measures what the periodic tasks of this process do, and what waits for them. */
export class PeriodicTaskMetrics {
  private readonly failures: Counter<'task'>;
  private readonly lastSuccess: Gauge<'task'>;
  private readonly dueItems: DueItems[] = [];

  constructor(registry: Registry, clock: Clock) {
    const options = { labelNames: ['task' as const], registers: [registry] };
    this.failures = new Counter({
      name: 'countinghouse_periodic_task_failures_total',
      help: 'Runs of a periodic task that failed.',
      ...options,
    });
    this.lastSuccess = new Gauge({
      name: 'countinghouse_periodic_task_last_success_timestamp_seconds',
      help: 'When a periodic task last succeeded in this process, as Unix time.',
      aggregator: 'max',
      ...options,
    });
    readGauge(
      registry,
      {
        name: 'countinghouse_due_items',
        help: 'Items that are due for a periodic task, on all replicas together. 100 stands for 100 or more.',
        labelNames: ['task'],
      },
      () => this.countDue(clock.now()),
    );
    const { dueItems } = this;
    new Gauge({
      name: 'countinghouse_postponed_items',
      help: 'Items that have failed in this process and wait to be tried again.',
      ...options,
      collect() {
        for (const { name, postponed } of dueItems) this.set({ task: name }, postponed);
      },
    });
  }

  succeeded(task: string): void {
    this.lastSuccess.setToCurrentTime({ task });
  }

  failed(task: string): void {
    this.failures.inc({ task });
  }

  add(items: DueItems): void {
    this.dueItems.push(items);
  }

  /** One task after another, each with one connection. */
  private async countDue(now: Date): Promise<{ labels: { task: string }; value: number }[]> {
    const counts: { labels: { task: string }; value: number }[] = [];
    for (const items of this.dueItems)
      counts.push({ labels: { task: items.name }, value: await items.countDue(now) });
    return counts;
  }
}
