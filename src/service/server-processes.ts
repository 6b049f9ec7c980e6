import cluster from 'node:cluster';
import type { Worker } from 'node:cluster';
import { SECOND_MS } from '../kernel/clock';
import { testOperationsSettings } from '../modules/testing';
import { ConfigError, type Settings } from '../platform/config/settings';
import { processesSettings } from '../platform/database/processes.settings';
import { Log } from '../platform/telemetry/log';
import { MetricsOfProcesses, MetricsServer } from '../platform/telemetry/metrics';
import { telemetrySettings } from '../platform/telemetry/telemetry.settings';
import type { RunningService } from './application';
import { startDatabase } from './service-database';

/** What a server process tells its parent as soon as it accepts requests. */
export type Started = Pick<RunningService, 'url' | 'firstAdmin'>;

const FIRST_RESTART_MS = SECOND_MS;
const MAX_RESTART_MS = 30 * SECOND_MS;

/**
 * Processes that accept connections in turn on one port. One that ends by itself is replaced. Each has the whole pool
 * and all limits of a replica: in a share of ten connections, one account could keep a process busy.
 */
export class ServerProcesses {
  private readonly living = new Map<number, Worker>();
  private readonly restarts = new Set<NodeJS.Timeout>();
  private stopping = false;

  constructor(
    private readonly count: number,
    private readonly log: Log,
  ) {}

  /**
   * Starts the first process, which migrates the database, then the others.
   * @returns what the first one tells, or null when one has ended before it accepted requests; it has said why
   */
  async start(): Promise<Started | null> {
    const first = await this.run(1, null);
    if (first === null) return null;
    const others = Array.from({ length: this.count - 1 }, (_, index) => this.run(index + 2, null));
    return (await Promise.all(others)).includes(null) ? null : first;
  }

  /** Lets each process complete its requests. @returns whether all have */
  async stop(): Promise<boolean> {
    this.stopping = true;
    for (const restart of this.restarts) clearTimeout(restart);
    const living = [...this.living.values()];
    const ends = living.map(
      (child) => new Promise<boolean>((resolve) => child.once('exit', (code) => resolve(code === 0))),
    );
    for (const child of living) child.process.kill('SIGTERM');
    return (await Promise.all(ends)).every(Boolean);
  }

  /**
   * The first process also runs the background work, if there is any.
   * @param waitedMs how long this replacement has waited; null for a process of the start, which is not replaced before
   * it has accepted requests
   * @returns what the process tells, or null when it has ended before
   */
  private run(number: number, waitedMs: number | null): Promise<Started | null> {
    const child = cluster.fork(number === 1 ? {} : { RUN_WORKER: 'false' });
    this.living.set(number, child);
    let hasStarted = false;
    return new Promise((resolve) => {
      child.on('message', (message: Partial<Started>) => {
        if (message.url === undefined) return; // its metrics
        hasStarted = true;
        resolve(message as Started);
      });
      child.once('exit', (code, signal) => {
        this.living.delete(number);
        resolve(null);
        if (this.stopping || (waitedMs === null && !hasStarted)) return;
        const isFirst = waitedMs === null || hasStarted;
        const waitMs = isFirst ? FIRST_RESTART_MS : Math.min(2 * waitedMs, MAX_RESTART_MS);
        const ended = Object.assign(new Error('A server process has ended.'), { code: signal ?? `${code}` });
        this.log.failure(`server process ${number}, which starts again in ${waitMs / SECOND_MS} s`, ended);
        this.replaceLater(number, waitMs);
      });
    });
  }

  private replaceLater(number: number, waitMs: number): void {
    const restart = setTimeout(() => {
      this.restarts.delete(restart);
      void this.run(number, waitMs);
    }, waitMs);
    this.restarts.add(restart);
  }
}

interface RunningProcesses extends Pick<RunningService, 'url' | 'metricsUrl' | 'firstAdmin'> {
  /** @returns whether all processes have completed their requests */
  stop(): Promise<boolean>;
}

/**
 * Starts WEB_CONCURRENCY server processes. This process serves no requests: it runs the embedded PostgreSQL, if there is
 * no other, and the metrics.
 * @throws ConfigError when a process cannot start
 */
export async function startProcesses(
  settings: Settings,
  print: (line: string) => void,
): Promise<RunningProcesses> {
  if (settings.of(testOperationsSettings).enabled)
    throw new ConfigError(
      'TEST_OPERATIONS: must be false with WEB_CONCURRENCY above 1: each process has its own clock',
    );
  const { logLevel, metrics: metricsSettings } = settings.of(telemetrySettings);
  const database = await startDatabase(settings, print);
  const processes = new ServerProcesses(settings.of(processesSettings).count, new Log(logLevel));
  const metrics = new MetricsServer(new MetricsOfProcesses(), metricsSettings);
  const stop = async (): Promise<boolean> => {
    const completed = await processes.stop();
    await metrics.stop();
    await database.stop();
    return completed;
  };
  try {
    const started = await processes.start();
    if (started === null)
      throw new ConfigError('WEB_CONCURRENCY: a server process has ended, with the message above');
    await metrics.start();
    return { ...started, metricsUrl: metrics.url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
