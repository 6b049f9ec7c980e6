import { Pool, PoolClient } from 'pg';
import { ignoreRejection, pipeline } from './connection';
import { isAfterFailure, isRejectedCommit } from './failures';
import { busy, KeyedLimit } from './keyed-limit';
import { NotBatchable, PipelinedTx } from './pipelined-tx';
import { prepared } from './preparing-client';
import { merge } from './queued-statement';

/** Groups in flight at a time: while the database executes one group, the tasks of the next one run. */
const MAX_GROUPS = 2;

/** Bounds the size of a group, and thus the work that is repeated when it fails. */
const MAX_TASKS = 32;

/** How long a task waits for a group; the same as for a connection. */
const MAX_WAIT_MS = 5_000;

/** A task that waits to run in a group. */
interface QueuedTask {
  readonly queuedAtMs: number;
  readonly start: (client: PoolClient) => RunningTask<unknown>;
  /** @param committed whether the task has committed with its group; otherwise it must run alone */
  readonly resolve: (committed: boolean) => void;
  readonly reject: (error: unknown) => void;
}

/** A task that runs in `tx`. */
export interface RunningTask<T> {
  readonly tx: PipelinedTx;
  readonly result: Promise<T>;
}

/**
 * Group commit: tasks that arrive while others are in flight share one database transaction, and so its round trips
 * and its flush to disk. A task that arrives alone starts at once.
 *
 * Two tasks with the same key are never in flight together, and no task waits for a lock inside a group. A failure
 * rolls the whole group back, and each of its tasks then runs in a separate transaction: grouping affects only
 * the speed.
 */
export class GroupCommit {
  private readonly waiting: QueuedTask[] = [];
  private readonly keys = new KeyedLimit(1);
  private groups = 0;
  private scheduled = false;

  constructor(private readonly pool: Pool) {}

  /**
   * @param key the row that the task locks first
   * @param start runs the task in a group, synchronously up to its first statement
   * @param runAlone runs it in a separate transaction; others with its key wait meanwhile, without a connection
   * @throws what the task threw; DomainError `unavailable` when it has not started in time; the connection's failure,
   * after which the outcome is unknown
   */
  run<T>(key: string, start: (client: PoolClient) => RunningTask<T>, runAlone: () => Promise<T>): Promise<T> {
    return this.keys.run(key, () => this.runInGroup(start, runAlone));
  }

  private async runInGroup<T>(
    start: (client: PoolClient) => RunningTask<T>,
    runAlone: () => Promise<T>,
  ): Promise<T> {
    let result: Promise<T> | undefined;
    const startAndKeepResult = (client: PoolClient): RunningTask<T> => {
      const running = start(client);
      result = running.result;
      return running;
    };
    const committed = await new Promise<boolean>((resolve, reject) => {
      this.waiting.push({ queuedAtMs: performance.now(), start: startAndKeepResult, resolve, reject });
      this.schedule();
    });
    return committed ? result! : runAlone();
  }

  /** Groups the tasks that arrive in the same turn of the event loop. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.groups < MAX_GROUPS && this.flush());
    });
  }

  /** @returns whether a group has started */
  private flush(): boolean {
    const tasks = this.nextTasks();
    if (tasks.length === 0) return false;
    this.groups += 1;
    void this.runGroup(tasks).finally(() => {
      this.groups -= 1;
      this.schedule();
    });
    return true;
  }

  private nextTasks(): QueuedTask[] {
    const tasks: QueuedTask[] = [];
    while (tasks.length < MAX_TASKS && this.waiting.length > 0) {
      const task = this.waiting.shift()!;
      if (performance.now() - task.queuedAtMs > MAX_WAIT_MS) task.reject(busy());
      else tasks.push(task);
    }
    return tasks;
  }

  private async runGroup(tasks: readonly QueuedTask[]): Promise<void> {
    let client: PoolClient;
    try {
      client = await this.pool.connect();
    } catch (error) {
      for (const { reject } of tasks) reject(error);
      return;
    }
    let broken: Error | undefined;
    try {
      await this.runTransaction(client, tasks);
    } catch (error) {
      broken = error as Error;
      for (const { reject } of tasks) reject(error);
    } finally {
      client.release(broken);
    }
  }

  private async runTransaction(client: PoolClient, tasks: readonly QueuedTask[]): Promise<void> {
    const running = pipeline(client, () => {
      void ignoreRejection(client.query('BEGIN'));
      return tasks.map((task) => ({ task, ...task.start(client) }));
    });
    const results = await Promise.allSettled(running.map(({ result }) => result));
    const succeeded = running.filter((_, index) => results[index]!.status === 'fulfilled');
    let committable = true;
    for (const [index, { task, tx }] of running.entries()) {
      const result = results[index]!;
      if (result.status === 'fulfilled') continue;
      // Statements that a failed task has sent cannot be undone alone.
      committable = tx.withdraw() && committable;
      if (isCausedByGroup(result.reason)) task.resolve(false);
      else task.reject(result.reason);
    }
    const committed = await end(client, succeeded, committable);
    for (const { task } of succeeded) task.resolve(committed);
  }
}

/** Commits what the tasks have queued, or rolls back. @returns whether it is committed; throws when that is unknown */
async function end(
  client: PoolClient,
  tasks: readonly RunningTask<unknown>[],
  commit: boolean,
): Promise<boolean> {
  const handedOver = commit ? tasks.map(({ tx }) => tx.handOver()) : [];
  const statements = [
    ...merge(handedOver.flatMap(({ queue }) => queue)),
    ...merge(handedOver.flatMap(({ last }) => last)),
  ];
  const ended = pipeline(client, () => {
    for (const { sql, params } of statements) void ignoreRejection(client.query(prepared(sql, params)));
    return client.query(commit ? 'COMMIT' : 'ROLLBACK');
  });
  try {
    // The COMMIT of an aborted transaction completes with the command ROLLBACK and without an error.
    return (await ended).command === 'COMMIT';
  } catch (error) {
    if (isRejectedCommit(error)) return false;
    throw error;
  }
}

/** Whether a task failed through another task of its group, or only because it ran in a group. */
function isCausedByGroup(error: unknown): boolean {
  return error instanceof NotBatchable || isAfterFailure(error);
}
