import { setMaxListeners } from 'node:events';
import { Registry } from 'prom-client';
import { type Clock, MINUTE_MS, SECOND_MS } from '../../kernel/clock';
import type { Log } from '../telemetry/log';
import { runInScope } from '../telemetry/call-scope';
import { inTrace } from '../telemetry/spans';
import { DueItems, type DueItemTask } from './due-items';
import { PeriodicTaskMetrics } from './periodic-task-metrics';
import type { TaskLocks } from './task-locks';
import type { Alarm, WakeUps } from '../database/wake-ups';

/** A task that runs periodically on every replica. */
export interface PeriodicTask {
  readonly name: string;
  /** The pause between two runs, or the shortest one of a task that is woken; a second by default. */
  readonly intervalMs?: number;
  /**
   * Tables: nothing becomes due but by an insertion into one of them, by an update, or by the time of `nextRun`. The task
   * then runs when it may have work, instead of at each interval.
   */
  readonly wokenBy?: readonly string[];
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
  /** Returns when the task has work, until `until`: a time that is over if it has now, null if it has none until then. */
  nextRun?(now: Date, until: Date): Promise<Date | null>;
  /** Returns when something becomes due next, after `now` and until `until`, or null. A test clock stops there. */
  nextDue?(now: Date, until: Date): Promise<Date | null>;
}

const DEFAULT_INTERVAL_MS = SECOND_MS;

/** The longest pause of a task that is woken, for example in case a process dies before it announces what it wrote. */
const MAX_PAUSE_MS = 15 * SECOND_MS;

/** The longest pause after consecutive failures, for example while the database is down. */
const MAX_BACKOFF_MS = MINUTE_MS;

/**
 * Background work. Due times are columns of the rows themselves: a task looks for due rows, locks them, and checks them
 * again before it acts. So it can run on any number of replicas, and each item is processed once. With `locks`, replicas
 * do not look for the same due rows at the same time.
 *
 * Each task has its own schedule, so a slow or failing task never delays the others. All use the connections of background
 * work, so that none is missing for requests while tasks wait for a server that hangs.
 */
export class PeriodicTasks {
  private readonly tasks: PeriodicTask[] = [];
  private readonly stopping = new AbortController();
  private readonly metrics: PeriodicTaskMetrics;
  private loops: Promise<void>[] = [];
  /** What the loops run now. */
  private readonly running = new Set<Promise<unknown>>();
  private readonly failing = new Set<PeriodicTask>();
  private readonly alarms = new Map<PeriodicTask, Alarm>();
  /** The runs of tests, for which the loops wait. */
  private testRuns: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly locks?: TaskLocks,
    registry = new Registry(),
    private readonly wakeUps?: WakeUps,
  ) {
    this.metrics = new PeriodicTaskMetrics(registry, clock);
  }

  /** Whether the latest run of a task failed. */
  get areFailing(): boolean {
    return this.failing.size > 0;
  }

  /** Registers a task. One that processes due rows retries each failed row on its own. */
  register(task: PeriodicTask | DueItemTask): void {
    const added = 'run' in task ? task : new DueItems(task, this.log, this.locks);
    this.tasks.push(added);
    if (added instanceof DueItems) this.metrics.add(added);
    // Also in a process that runs no tasks: it tells those that do.
    if (added.wokenBy && this.wakeUps) this.alarms.set(added, this.wakeUps.alarmFor(added.wokenBy));
  }

  /** Runs every task now, and then periodically until `stop`. */
  start(): void {
    setMaxListeners(this.tasks.length + 1, this.stopping.signal);
    this.loops = this.tasks.map((task) => this.loop(task));
    if (this.wakeUps !== undefined) this.loops.push(this.wakeUps.watch(this.stopping.signal));
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
    this.testRuns = result.catch(() => undefined).then(() => this.wakeUps?.ringAll());
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
    const { signal } = this.stopping;
    const alarm = this.alarms.get(task);
    let failures = 0;
    for (;;) {
      await this.noTestRuns();
      if (signal.aborted) return;
      alarm?.reset();
      let idleMs = 0;
      const run = this.execute(task, async () => {
        if (alarm) idleMs = await this.runIfDue(task);
        else await this.run(task);
      });
      this.running.add(run);
      failures = (await run) === undefined ? 0 : failures + 1;
      this.running.delete(run);
      const backoffMs = failures === 0 ? 0 : Math.min(SECOND_MS * 2 ** failures, MAX_BACKOFF_MS);
      const shortestMs = Math.max(intervalMs, backoffMs);
      await pause(idleMs > 0 ? Math.min(idleMs, shortestMs) : shortestMs, signal);
      if (alarm) await pause(idleMs - shortestMs, signal, alarm.signal);
    }
  }

  /** Others may begin while one ends. */
  private async noTestRuns(): Promise<void> {
    for (let last; last !== this.testRuns;) await (last = this.testRuns);
  }

  /** @returns for how many milliseconds the task has no work, unless it is woken */
  private async runIfDue(task: PeriodicTask): Promise<number> {
    const now = this.clock.now().getTime();
    const end = now + MAX_PAUSE_MS;
    const next = task.nextRun ? ((await task.nextRun(new Date(now), new Date(end)))?.getTime() ?? end) : now;
    if (next > now) return Math.min(next, end) - now;
    await this.run(task);
    return task.nextRun ? 0 : MAX_PAUSE_MS;
  }

  private async run(task: PeriodicTask): Promise<void> {
    const run = (): Promise<boolean> => task.run(this.clock.now(), this.stopping.signal);
    while (!this.stopping.signal.aborted && (await inTrace(`periodic task ${task.name}`, {}, run)));
  }

  /** @returns the error of a task that failed */
  private async execute(
    task: PeriodicTask,
    work: () => Promise<void> = () => this.run(task),
  ): Promise<unknown> {
    try {
      await runInScope({ isBackground: true }, work);
      this.metrics.succeeded(task.name);
      this.failing.delete(task);
      return undefined;
    } catch (error) {
      this.metrics.failed(task.name);
      this.failing.add(task);
      this.log.failure(`The periodic task "${task.name}" failed`, error);
      return error ?? new Error('The task failed without an error.');
    }
  }
}

function throwFirst([error]: readonly unknown[]): void {
  if (error === undefined) return;
  throw error instanceof Error ? error : new Error('A task failed without an error.', { cause: error });
}

/** Resolves after `ms`, or as soon as a signal aborts. */
function pause(ms: number, ...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    if (ms <= 0 || signals.some(({ aborted }) => aborted)) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      for (const signal of signals) signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    for (const signal of signals) signal.addEventListener('abort', end);
  });
}
