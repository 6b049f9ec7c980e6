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
  /** The errors of items in the latest run, which did not fail because of them. */
  readonly itemErrors?: readonly unknown[];
  /** Returns when something becomes due next, after `now` and until `until`, or null. A test clock stops there. */
  nextDue?(now: Date, until: Date): Promise<Date | null>;
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
  /** What the loops run now. */
  private readonly running = new Set<Promise<unknown>>();
  /** The runs of tests, for which the loops wait. */
  private testRuns: Promise<unknown> = Promise.resolve();

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

  /** Waits for what is in progress, also for tests, and starts nothing else. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await Promise.all([...this.loops, this.testRuns]);
    await Promise.all(this.tasks.map(async (task) => task.settle?.()));
  }

  /**
   * Runs every task, in the order of registration, until nothing more is due. For tests, which move the clock.
   * @throws the first error of a task or of an item; all are logged
   */
  runDue(): Promise<void> {
    return this.whileLoopsWait(async () => throwFirst(await this.runAll()));
  }

  /**
   * Moves time as it would pass: what becomes due until then is processed in its order, before anything later becomes due.
   * As the loops run every second, what becomes due within a second is processed together. For tests.
   * @param chooseEnd returns the time to move to, once earlier steps have ended
   * @param moveTo moves the clock
   * @throws the first error of a task or of an item; all are logged
   */
  runUntil(chooseEnd: () => Date, moveTo: (time: Date) => void): Promise<void> {
    return this.whileLoopsWait(async () => {
      const until = chooseEnd();
      const errors = await this.runAll();
      for (let due = await this.nextDue(until); due !== null; due = await this.nextDue(until)) {
        moveTo(due);
        errors.push(...(await this.runAll()));
      }
      moveTo(until);
      errors.push(...(await this.runAll()));
      throwFirst(errors);
    });
  }

  private whileLoopsWait(run: () => Promise<void>): Promise<void> {
    const result = this.testRuns.then(async () => {
      await Promise.all(this.running);
      await run();
    });
    this.testRuns = result.catch(() => undefined);
    return result;
  }

  /** The second pass is for what a task leaves to one before it, such as the events of a settlement. @returns errors */
  private async runAll(): Promise<unknown[]> {
    const errors: unknown[] = [];
    const failed = new Set<PeriodicTask>();
    for (const task of [...this.tasks, ...this.tasks]) {
      if (failed.has(task)) continue;
      const error = await this.execute(task);
      await task.settle?.();
      const found = [...(error === undefined ? [] : [error]), ...(task.itemErrors ?? [])];
      if (found.length > 0) failed.add(task);
      errors.push(...found);
    }
    return errors;
  }

  /** Returns when something becomes due next, at least a second from now, or null if nothing does until then. */
  private async nextDue(until: Date): Promise<Date | null> {
    const now = this.clock.now();
    const times = await Promise.all(this.tasks.map(async (task) => task.nextDue?.(now, until)));
    const due = times.flatMap((time) => (time ? [time.getTime()] : []));
    const next = Math.max(Math.min(...due), now.getTime() + SECOND_MS);
    return due.length > 0 && next < until.getTime() ? new Date(next) : null;
  }

  private async loop(task: PeriodicTask): Promise<void> {
    const { intervalMs = DEFAULT_INTERVAL_MS } = task;
    let failures = 0;
    for (;;) {
      await this.noTestRuns();
      if (this.stopping.signal.aborted) return;
      const run = this.execute(task);
      this.running.add(run);
      failures = (await run) === undefined ? 0 : failures + 1;
      this.running.delete(run);
      const backoffMs = failures === 0 ? 0 : Math.min(SECOND_MS * 2 ** failures, MAX_BACKOFF_MS);
      await pause(Math.max(intervalMs, backoffMs), this.stopping.signal);
    }
  }

  /** Others may begin while one ends. */
  private async noTestRuns(): Promise<void> {
    for (let last; last !== this.testRuns;) await (last = this.testRuns);
  }

  /** @returns the error of a task that failed */
  private async execute(task: PeriodicTask): Promise<unknown> {
    try {
      const run = (): Promise<boolean> => task.run(this.clock.now(), this.stopping.signal);
      while (!this.stopping.signal.aborted && (await inTrace(`periodic task ${task.name}`, {}, run)));
      this.metrics.succeeded(task.name);
      return undefined;
    } catch (error) {
      this.metrics.failed(task.name);
      this.log.failure(`The periodic task "${task.name}" failed`, error);
      return error ?? new Error('The task failed without an error.');
    }
  }
}

function throwFirst([error]: readonly unknown[]): void {
  if (error === undefined) return;
  throw error instanceof Error ? error : new Error('A task failed without an error.', { cause: error });
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
