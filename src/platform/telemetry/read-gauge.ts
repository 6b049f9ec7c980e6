import type { Registry } from 'prom-client';
import { Gauge } from 'prom-client';
import type { Clock } from '../../kernel/clock';
import { SECOND_MS } from '../../kernel/clock';

/** One value of a gauge. */
interface Reading<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/**
 * Adds a gauge that is read, from the database for example, each time the metrics are collected. While reading fails, the
 * gauge has no values, and the other metrics are not affected.
 */
export function readGauge<Label extends string>(
  registry: Registry,
  definition: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
  read: () => Promise<readonly Reading<Label>[]>,
): void {
  new Gauge<string>({
    ...definition,
    registers: [registry],
    aggregator: 'max', // all processes read the same
    async collect() {
      const readings = await read().catch(() => []);
      this.reset();
      for (const { labels, value } of readings) this.set(labels, value);
    },
  });
}

/** Adds a gauge, read in the same way, of the seconds since a time; 0 when there is none or it is yet to come. */
export function readAgeGauge(
  registry: Registry,
  definition: { readonly name: string; readonly help: string },
  clock: Clock,
  readSince: () => Promise<Date | null>,
): void {
  readGauge(registry, { ...definition, labelNames: [] }, async () => {
    const since = await readSince();
    const ageMs = since === null ? 0 : clock.now().getTime() - since.getTime();
    return [{ labels: {}, value: Math.max(0, ageMs) / SECOND_MS }];
  });
}
