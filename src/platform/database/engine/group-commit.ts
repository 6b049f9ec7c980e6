import type { Pool, PoolClient } from 'pg';
import { Histogram, type Registry } from 'prom-client';
import type { AccountServers } from '../citus/account-servers';
import { FairQueue } from '../../../kernel/fair-queue';
import { allTables, type Shard } from '../citus/shard';
import type { Locks } from '../database';
import { type GroupTask, LOCK_TIMEOUT_MS, type OpenTask, type Rest, runGroup } from './group';
import type { RowKey } from '../tx';
import { BACKGROUND_WAIT_MS, busy, MAX_WAIT_MS, MAX_WAITING } from '../waiting';
import { prepared } from './connection';
import { type QueuedTask, TaskQueues } from './task-queues';

/** Groups of a lane in flight at a time on a server: while it executes one group, the tasks of the next one run. */
const MAX_GROUPS = 2;

/** The key of all tasks that lock several rows: their groups run one after another, since each may wait for locks. */
const SEVERAL_ROWS = 'several rows';

/** Bounds the size of a group, and thus the work that is repeated when it fails. */
const MAX_TASKS = 64;

/** Work that may share a database transaction. */
export interface GroupCommitTask<T> extends Pick<QueuedTask, 'repeatKey'> {
  /** The row that the task locks first, or several rows. */
  readonly locks: Locks;
  /** Whether nobody waits for the task. It then starts after those for which somebody does, and shares no group with them. */
  readonly isBackground: boolean;
  /** Whether it writes to a table that is not distributed: its group then takes no way straight to a worker. */
  readonly isGlobal: boolean;
  /** Makes the task ready to run in a group. It may be called again after a group without this task's writes. */
  readonly open: (...args: Parameters<GroupTask['open']>) => OpenTask<T>;
  /** Runs it in a separate transaction. */
  readonly runAlone: () => Promise<T>;
  /** Runs work that may hold a connection for long, within the share of connections of the task's caller. */
  readonly withinShare: <R>(work: () => Promise<R>) => Promise<R>;
}

interface WaitingTask
  extends QueuedTask, GroupTask, Pick<GroupCommitTask<unknown>, 'isGlobal' | 'withinShare'> {
  readonly queuedAtMs: number;
  /** Ends with the result for the caller; never rejects. */
  readonly runAlone: () => Promise<void>;
}

/** Tasks that wait, and groups of them in flight. */
class Lane {
  readonly queues: TaskQueues<WaitingTask>;
  /**
   * Statements that wait for rows which are locked elsewhere: few connections do. What gets none of them in time is tried
   * again in a group, since the row may be free.
   */
  readonly waits: FairQueue;
  inFlight = 0;
  private readonly groups = new Map<number, number>();

  constructor(
    readonly pool: Pool,
    readonly isBackground: boolean,
  ) {
    this.queues = new TaskQueues(isBackground ? BACKGROUND_WAIT_MS : MAX_WAIT_MS);
    this.waits = new FairQueue(Math.ceil(pool.options.max / 4), MAX_WAITING, busy, [], LOCK_TIMEOUT_MS);
  }

  groupsOn(way: number): number {
    return this.groups.get(way) ?? 0;
  }

  addGroups(way: number, count: number): void {
    this.groups.set(way, this.groupsOn(way) + count);
    this.inFlight += count;
  }
}

/** To each of several servers there are two ways: straight, by its number from 0, and through the coordinator. */
const throughCoordinator = (server: number): number => -1 - server;

/**
 * Group commit: tasks that arrive while others are in flight share one database transaction, and so its round trips
 * and its flush to disk. A task that arrives alone starts at once.
 *
 * The tasks of a group belong to one server, so that it commits in one phase, on the way straight to the server. A task
 * that needs a table of the coordinator takes the way through it: at once if that is known, otherwise when it runs again.
 *
 * Requests and background work have a lane each, so that a request waits for background work on its own key only. There
 * they take turns, so that neither waits for more than one group of the other.
 *
 * Tasks with the same key run one after another: in one group, where each sees what those before it have decided, or in
 * successive ones. In a group of several keys no task waits for a lock. A key whose row is locked elsewhere gets a group
 * of its own, which waits for it: for a second, if it is background work, which is tried again. A failure rolls the whole
 * group back, and each of its tasks then runs in a separate transaction: grouping affects only the speed.
 *
 * Tasks that lock several rows, as transfers do, share one key. So one such group runs at a time, without tasks of other
 * keys. It locks the rows of all its tasks at once, in the order of their ids, and may wait for them, though not for long.
 * Tasks of a row that stays locked elsewhere wait for it under its name as their key, and lock no other row meanwhile.
 * Where the rows may be on several servers, the group goes through the coordinator and commits in two phases.
 */
export class GroupCommit {
  private readonly requests: Lane;
  private readonly background: Lane;
  /** The keys of tasks that are in flight. */
  private readonly keys = new Set<string>();
  /** Keys of which requests had a turn while background work waited, whose turn is next. */
  private readonly turnsOfBackground = new Set<string>();
  private scheduled = false;
  /** The tables of all keys, by the names that all servers but workers know. */
  private readonly all: Shard;
  private readonly sizes: Histogram;

  constructor(
    poolOfRequests: Pool,
    poolOfBackground: Pool,
    registry: Registry,
    private readonly servers: AccountServers,
  ) {
    this.all = allTables(() => servers.isDistributed);
    this.requests = new Lane(poolOfRequests, false);
    this.background = new Lane(poolOfBackground, true);
    this.sizes = new Histogram({
      name: 'countinghouse_group_commit_tasks',
      help: 'Tasks that start together in one database transaction.',
      buckets: [1, 2, 4, 8, 16, 32, MAX_TASKS],
      registers: [registry],
    });
  }

  /**
   * @throws what the task threw; DomainError `unavailable` when it has not started in time; the connection's failure,
   * after which the outcome is unknown
   */
  run<T>(submitted: GroupCommitTask<T>): Promise<T> {
    const { locks, isBackground, isGlobal, repeatKey, open, runAlone, withinShare } = submitted;
    const isApart = typeof locks !== 'string';
    return new Promise((resolve, reject) => {
      const task: WaitingTask = {
        key: isApart ? (locks.find(({ row }) => this.keys.has(row))?.row ?? SEVERAL_ROWS) : locks,
        isApart,
        locks,
        repeatKey,
        isGlobal,
        open,
        queuedAtMs: performance.now(),
        resolve: resolve as (result: unknown) => void,
        reject,
        runAlone: () => runAlone().then(resolve, reject),
        withinShare,
      };
      (isBackground ? this.background : this.requests).queues.add(task);
      this.schedule();
    });
  }

  /** Groups the tasks that arrive in the same turn of the event loop. */
  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => {
      this.scheduled = false;
      while (this.startGroup(this.requests) || this.startGroup(this.background));
    });
  }

  /** @returns whether a group has started */
  private startGroup(lane: Lane): boolean {
    // While all ways are busy, the keys that wait need not be looked at.
    const { count } = this.servers;
    if (lane.inFlight >= MAX_GROUPS * (count === 1 ? 1 : 2 * count)) return false;
    const chains = lane.queues.take(MAX_TASKS, (key, first) => this.freeWayTo(key, first, lane));
    if (chains.length === 0) return false;
    for (const [{ key }] of chains as [WaitingTask][]) {
      this.keys.add(key);
      if (lane === this.requests && this.background.queues.has(key)) this.turnsOfBackground.add(key);
      else this.turnsOfBackground.delete(key);
    }
    const [first] = chains[0] as [WaitingTask];
    const way = this.wayTo(first.key, first);
    lane.addGroups(way, 1);
    this.sizes.observe(chains.flat().length);
    void this.runGroup(chains, !first.isApart, lane, way).then((rests) => {
      lane.addGroups(way, -1);
      for (const [index, [{ key }]] of (chains as [WaitingTask][]).entries())
        void this.finish(key, rests[index], lane, way);
      this.schedule();
    });
    return true;
  }

  private wayTo(key: string, { isGlobal, isApart }: WaitingTask): number {
    const server = this.servers.serverOf(key);
    return (isGlobal || isApart) && this.servers.count > 1 ? throughCoordinator(server) : server;
  }

  /** @returns null when it is not the key's turn, or enough groups are on their way to its server */
  private freeWayTo(key: string, first: WaitingTask, lane: Lane): number | null {
    if (this.keys.has(key)) return null;
    if (lane === this.requests && this.turnsOfBackground.has(key) && this.background.queues.has(key))
      return null;
    const way = this.wayTo(key, first);
    return lane.groupsOn(way) < MAX_GROUPS ? way : null;
  }

  /** Runs what a group has left of one key, and then releases the key. */
  private async finish(
    key: string,
    rest: Rest<WaitingTask> | undefined,
    lane: Lane,
    way: number,
  ): Promise<void> {
    const undone = [...(rest?.undone ?? [])];
    const detached = rest?.detached ?? [];
    const wayOfDetached = rest?.isGlobal ? throughCoordinator(way) : way;
    try {
      // This group may wait for locks. It is charged to the caller of its first task.
      const [ofOwnGroup] =
        (await detached[0]?.withinShare(() => this.runGroup([detached], false, lane, wayOfDetached))) ?? [];
      undone.push(...(ofOwnGroup?.detached ?? []), ...(ofOwnGroup?.undone ?? []));
    } catch (error) {
      for (const { reject } of detached) reject(error); // the caller has no connection to spare
    }
    for (const task of undone) {
      if (performance.now() - task.queuedAtMs > MAX_WAIT_MS) task.reject(busy());
      else if (task.isApart) void task.runAlone();
      else await task.runAlone();
    }
    this.keys.delete(key);
    for (const [task, row] of rest?.blocked ?? []) this.waitForRow(row, task, lane);
    this.schedule();
  }

  /** Lets a task of several rows wait until one of them, which is locked elsewhere, is free. */
  private waitForRow({ row: key, sql, key: id }: RowKey, task: WaitingTask, lane: Lane): void {
    if (performance.now() - task.queuedAtMs > MAX_WAIT_MS) return task.reject(busy());
    lane.queues.add({ ...task, key });
    if (this.keys.has(key)) return;
    this.keys.add(key);
    // One statement waits for all of them. If it fails, their group finds out.
    const wait = (): Promise<unknown> => lane.pool.query(prepared(`${sql} FOR UPDATE`, [[id]]));
    const release = (): void => {
      this.keys.delete(key);
      this.schedule();
    };
    void lane.waits.run([key], wait).then(release, release);
  }

  /** @returns what remains of each chain; nothing when the connection has failed, and all tasks are rejected */
  private async runGroup(
    chains: readonly (readonly WaitingTask[])[],
    isShared: boolean,
    { pool, isBackground }: Lane,
    way: number,
  ): Promise<Rest<WaitingTask>[]> {
    const rejectAll = (error: unknown): [] => {
      for (const { reject } of chains.flat()) reject(error); // those that have a result keep it
      return [];
    };
    const { servers } = this;
    let direct: PoolClient | null;
    let client: PoolClient;
    try {
      direct = servers.count > 1 && way >= 0 ? await servers.connect(way, isBackground) : null;
      client = direct ?? (await pool.connect());
    } catch (error) {
      return rejectAll(error);
    }
    let broken: Error | undefined;
    try {
      const shardOf = (key: string): Shard => (direct === null ? this.all : servers.shardOf(key));
      const hold: AccountServers['hold'] = async (send, shards) =>
        direct === null || servers.hold(send, shards);
      const maxLockWaitMs = isBackground ? BACKGROUND_WAIT_MS : undefined;
      return await runGroup(client, chains, isShared, shardOf, hold, maxLockWaitMs);
    } catch (error) {
      broken = error as Error;
      return rejectAll(error);
    } finally {
      client.release(broken);
    }
  }
}
