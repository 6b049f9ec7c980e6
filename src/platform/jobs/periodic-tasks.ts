import { setMaxListeners } from 'node:events';
import { Registry } from 'prom-client';
import type { Clock } from '../../kernel/clock';
import { MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import type { Log } from '../telemetry/log';
import { inTrace } from '../telemetry/spans';
import type { DueItemTask } from './due-items';
import { DueItems } from './due-items';
import { PeriodicTaskMetrics } from './periodic-task-metrics';
import type { TaskLocks } from './task-locks';

/** A task that runs periodically on every replica. */
export interface PeriodicTask {
  readonly name: string;
  /** The pause between two runs; a second by default. */
  readonly intervalMs?: number;
  /**
   * Processes a bounded batch of what is due at `now`.
   * @param stopping aborts when the service stops: a run that takes long then ends early
   * @returns whether there may be more
   */
  run(now: Date, stopping: AbortSignal): Promise<boolean>;
  /** Waits for what runs have begun and left in progress. */
  settle?(): Promise<void>;
}

const DEFAULT_INTERVAL_MS = SECOND_MS;

/** The longest pause after consecutive failures, for example while the database is down. */
const MAX_BACKOFF_MS = MINUTE_MS;

/**
 * Background work. Due times are columns of the rows themselves: a task looks for due rows, locks them, and checks them
 * again before it acts. So it can run on any number of replicas, and each item is processed once. With `locks`, replicas
 * do not look for the same due rows at the same time.
 *
 * Each task has its own schedule, so a slow or failing task never delays the others.
 */
export class PeriodicTasks {
  private readonly tasks: PeriodicTask[] = [];
  private readonly stopping = new AbortController();
  private readonly metrics: PeriodicTaskMetrics;
  private loops: Promise<void>[] = [];
  /** The latest run in progress of each task, which resolves to whether it succeeded. */
  private readonly runs = new Map<PeriodicTask, Promise<boolean>>();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly locks?: TaskLocks,
    registry = new Registry(),
  ) {
    this.metrics = new PeriodicTaskMetrics(registry, clock);
  }

  /** Registers a task. One that processes due rows retries each failed row on its own. */
  register(task: PeriodicTask | DueItemTask): void {
    if ('run' in task) {
      this.tasks.push(task);
      return;
    }
    const items = new DueItems(task, this.log, this.locks);
    this.tasks.push(items);
    this.metrics.add(items);
  }

  /** Runs every task now, and then periodically until `stop`. */
  start(): void {
    setMaxListeners(this.tasks.length, this.stopping.signal);
    this.loops = this.tasks.map((task) => this.loop(task));
  }

  /** Waits for what is in progress, also of `runDue`, and starts nothing else. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.loops, ...this.runs.values()]);
    await Promise.all(this.tasks.map(async (task) => task.settle?.()));
  }

  /**
   * Runs every task once, in the order of registration, until nothing more is due. For tests that move the clock. It does
   * not wait for items in places (see DueItemTask).
   */
  async runDue(): Promise<void> {
    for (const task of this.tasks) await this.runOnce(task);
  }

  private async loop(task: PeriodicTask): Promise<void> {
    const { intervalMs = DEFAULT_INTERVAL_MS } = task;
    let failures = 0;
    while (!this.stopping.signal.aborted) {
      failures = (await this.runOnce(task)) ? 0 : failures + 1;
      const backoffMs = failures === 0 ? 0 : Math.min(SECOND_MS * 2 ** failures, MAX_BACKOFF_MS);
      await pause(Math.max(intervalMs, backoffMs), this.stopping.signal);
    }
  }

  /** Runs the task after a run in progress, so that all that is due now has been processed. @returns whether it succeeded */
  private runOnce(task: PeriodicTask): Promise<boolean> {
    const inProgress = this.runs.get(task);
    const run = inProgress ? inProgress.then(() => this.execute(task)) : this.execute(task);
    this.runs.set(task, run);
    return run.finally(() => {
      if (this.runs.get(task) === run) this.runs.delete(task);
    });
  }

  private async execute(task: PeriodicTask): Promise<boolean> {
    try {
      const run = (): Promise<boolean> => task.run(this.clock.now(), this.stopping.signal);
      while (!this.stopping.signal.aborted && (await inTrace(`periodic task ${task.name}`, {}, run)));
      this.metrics.succeeded(task.name);
      return true;
    } catch (error) {
      this.metrics.failed(task.name);
      this.log.failure(`The periodic task "${task.name}" failed`, error);
      return false;
    }
  }
}

/** Resolves after `ms`, or as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
