import cluster from 'node:cluster';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { AggregatorRegistry, collectDefaultMetrics, Gauge, type Registry } from 'prom-client';
import { type Clock, SECOND_MS } from '../../kernel/clock';
import { FairQueue } from '../../kernel/fair-queue';
import { runInScope } from './call-scope';
import type { TelemetrySettings } from './telemetry.settings';

/** One value of a gauge. */
interface Reading<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  readonly value: number;
}

/** How long a scrape waits for the value of a gauge. */
const MAX_READ_MS = 2 * SECOND_MS;

/** One gauge is read at a time, so that a scrape takes one connection, also from a server that hangs. */
const gaugeReads = new FairQueue(1, Infinity, () => new Error('Too many gauges are read.'));

/**
 * Adds a gauge that is read, from the database for example, when the metrics are collected. While reading fails or takes
 * more than two seconds, the gauge has no values, and the other metrics are not affected.
 */
export function readGauge<Label extends string>(
  registry: Registry,
  definition: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
  read: () => Promise<readonly Reading<Label>[]>,
): void {
  const readInTurn = (): Promise<readonly Reading<Label>[]> =>
    gaugeReads.run([], () => runInScope({ isBackground: true }, read)).catch(() => []);
  let reading: ReturnType<typeof readInTurn> | null = null;
  new Gauge<string>({
    ...definition,
    registers: [registry],
    aggregator: 'max', // all processes read the same
    async collect() {
      reading ??= readInTurn().finally(() => (reading = null));
      const readings = await Promise.race([reading, delay(MAX_READ_MS, [], { ref: false })]);
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

const REQUEST_TIMEOUT_MS = 10 * SECOND_MS;
const MAX_CONNECTIONS = 20;

/** The metrics of all processes of a cluster, in their parent: sums, unless a metric names another way to combine it. */
export class MetricsOfProcesses extends AggregatorRegistry<typeof Registry.PROMETHEUS_CONTENT_TYPE> {
  override metrics(): Promise<string> {
    return this.clusterMetrics();
  }
}

// From the start of a process in a cluster, its parent gets a response.
if (cluster.isWorker) new AggregatorRegistry();

/**
 * Serves the metrics of this process to Prometheus, on its own port so that clients of the API cannot read them. As a
 * worker has no other port, it answers probes of liveness, without the database, which metrics read.
 */
export class MetricsServer {
  private server: Server | null = null;

  constructor(
    private readonly registry: Registry,
    private readonly settings: TelemetrySettings['metrics'],
  ) {}

  /** Listens, if the settings name a port. Commands that run beside the service do not call it. */
  async start(): Promise<void> {
    if (this.settings === null) return;
    collectDefaultMetrics({ register: this.registry });
    if (cluster.isWorker) return AggregatorRegistry.setRegistries([this.registry]); // its parent serves them
    const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, ({ method, url }, response) => {
      if (method === 'GET' && url === '/health/live') return void response.writeHead(200).end();
      if (method !== 'GET' || url !== '/metrics') return void response.writeHead(404).end();
      void this.registry.metrics().then(
        (text) => response.writeHead(200, { 'Content-Type': this.registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    });
    server.maxConnections = MAX_CONNECTIONS;
    server.listen(this.settings.port, this.settings.address);
    await once(server, 'listening'); // rejects with the server's error
    this.server = server;
  }

  /** The address of the metrics, for example `http://127.0.0.1:9464/metrics`; null when they are not served. */
  get url(): string | null {
    if (this.server === null) return null;
    const { address, family, port } = this.server.address() as AddressInfo;
    return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/metrics`;
  }

  async stop(): Promise<void> {
    if (this.server === null) return;
    this.server.close();
    this.server.closeAllConnections();
    await once(this.server, 'close');
  }
}
