import type { PoolClient, QueryResult, QueryResultRow } from 'pg';
import { Chain, type GroupTx, Part } from './group-tx';
import { ignoreRejection, pipeline, prepared } from './connection';
import { isRejectedCommit, isTimeout } from '../failures';
import { merge, type QueuedStatement } from './queued-statement';
import type { Shard } from '../citus/shard';
import type { Locks } from '../database';
import type { RowKey, Send } from '../tx';

/** A task that runs in `tx`. */
export interface OpenTask<T> {
  readonly tx: GroupTx;
  /** Starts the task, synchronously up to its first statement. */
  readonly start: () => Promise<T>;
}

/**
 * How long a group waits for the locks of its tasks' rows: tasks of many accounts wait for it. It then continues without
 * the tasks whose rows are locked elsewhere.
 */
export const LOCK_TIMEOUT_MS = 200;

/** @param onWorkers whether the rows are on workers of Citus, which then get the setting, too */
function beginWithin(lockTimeoutMs: number, onWorkers: boolean): string {
  const propagate = onWorkers ? `SET LOCAL citus.propagate_set_commands = 'local'; ` : '';
  return `BEGIN; ${propagate}SET LOCAL lock_timeout = ${lockTimeoutMs}`;
}

/** A task whose caller waits. */
export interface GroupTask {
  /** Tasks with the same one are a chain. */
  readonly key: string;
  /** The row of a key, or several rows. */
  readonly locks: Locks;
  readonly open: (client: PoolClient, chain: Chain) => OpenTask<unknown>;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** The tasks of one chain that have not committed. */
export interface Rest<Task> {
  /** They would have made other keys wait. They can share a database transaction without other keys. */
  readonly detached: readonly Task[];
  /** Whether one of these has a statement that cannot run on the connection. */
  readonly isGlobal: boolean;
  /** Tasks of several rows, by the row that is locked elsewhere. They have not started. */
  readonly blocked: ReadonlyMap<Task, RowKey>;
  /** They were rolled back with the group. Each needs a separate transaction. */
  readonly undone: readonly Task[];
}

/**
 * Runs tasks in one database transaction and commits what they have queued. Tasks of one chain have the same key: they
 * run one after another, in their order. The chains run concurrently.
 *
 * A task's caller learns the result after the commit, also when the task was rejected: what it has seen of the others
 * only becomes true with the commit. If the commit fails, the callers learn nothing, and their tasks are undone.
 * Chains of one shard share statements.
 * @param isShared whether there may be several chains; one that is alone may wait for locks
 * @param shardOf returns the tables of a key by their names on this connection, the same object for the same ones
 * @param hold keeps them there until the transaction ends; without it, nothing is committed
 * @param maxLockWaitMs how long a chain that is alone waits for the row of its key, if shorter than the session does
 * @throws the failure of the connection, after which the outcome of the tasks is unknown
 */
export async function runGroup<Task extends GroupTask>(
  client: PoolClient,
  chains: readonly (readonly Task[])[],
  isShared: boolean,
  shardOf: (key: string) => Shard,
  hold: (send: Send, shards: readonly Shard[]) => Promise<boolean>,
  maxLockWaitMs?: number,
): Promise<Rest<Task>[]> {
  const shards = chains.map(([first]) => shardOf(first!.key));
  const parts = new Map(shards.map((shard) => [shard, new Part(client, shard)]));
  const tasks = chains.flat();
  const rows = tasks.flatMap(({ locks }) => (typeof locks === 'string' ? [] : locks));
  const merges = shards.every((shard) => shard.merges);
  const locked = rows.length === 0 ? null : await lockAll(client, rows, merges);
  const blocked = findBlocked(tasks, locked?.lockedElsewhere ?? new Set());
  const begin = isShared || maxLockWaitMs === undefined ? 'BEGIN' : beginWithin(maxLockWaitMs, !merges);
  const { begun, held, runs } = pipeline(client, () => {
    const begun = locked?.begun ?? ignoreRejection(client.query(begin));
    const held = hold(
      (sql, params) => ignoreRejection(client.query(prepared(sql, params))),
      [...parts.keys()],
    );
    const keyRows = locked?.keyRows ?? new Map<string, QueryResultRow>();
    const runs = chains.map((chain, index) => {
      const free = blocked.size === 0 ? chain : chain.filter((task) => !blocked.has(task));
      return new ChainRun(client, free, new Chain(isShared, parts.get(shards[index]!)!, keyRows));
    });
    for (const { lookUps } of parts.values()) lookUps.start();
    return { begun, held, runs };
  });
  await Promise.all(runs.map((run) => run.ended));
  await begun; // without it, each statement would commit on its own, and the COMMIT would succeed
  const committed = await end(client, runs, await held);
  return runs.map((run) => run.settle(committed, blocked));
}

interface LockedRows {
  readonly begun: Promise<unknown>;
  /** By their names. */
  readonly keyRows: Map<string, QueryResultRow>;
  /** The names of the other rows, if it has waited for them: some may not exist. */
  readonly lockedElsewhere: ReadonlySet<string>;
}

/** Returns the tasks that need one of the rows, and which. */
function findBlocked<Task extends GroupTask>(
  tasks: readonly Task[],
  lockedElsewhere: ReadonlySet<string>,
): ReadonlyMap<Task, RowKey> {
  const blocked = new Map<Task, RowKey>();
  for (const task of lockedElsewhere.size === 0 ? [] : tasks) {
    const rows = typeof task.locks === 'string' ? [] : task.locks;
    const row = rows.find((each) => lockedElsewhere.has(each.row));
    if (row !== undefined) blocked.set(task, row);
  }
  return blocked;
}

/**
 * Begins a transaction and locks the rows of tasks that have several, in the order of their keys: two such groups never
 * wait for each other. If that takes too long, it begins again and locks those that are free.
 * @param merges whether one statement may lock several rows
 */
async function lockAll(client: PoolClient, rows: readonly RowKey[], merges: boolean): Promise<LockedRows> {
  const { sql, columns } = rows[0]!;
  const column = columns[0]!;
  const names = new Map(rows.map(({ key, row }) => [key, row]));
  const keys = [...names.keys()];
  const parts = merges ? [keys] : keys.toSorted().map((key) => [key]);
  const begin = beginWithin(LOCK_TIMEOUT_MS, !merges);
  const lock = (beginning: string, wait: string) =>
    pipeline(client, () => ({
      begun: ignoreRejection(client.query(beginning)),
      found: Promise.all(
        parts.map((part) => {
          const select = `${sql} ORDER BY "${column}"::text COLLATE "C" FOR UPDATE${wait}`;
          return client.query<QueryResultRow>(prepared(select, [part]));
        }),
      ),
    }));
  const rowsByName = (results: readonly QueryResult<QueryResultRow>[]): Map<string, QueryResultRow> =>
    new Map(results.flatMap((result) => result.rows).map((row) => [names.get(String(row[column]))!, row]));
  const all = lock(begin, '');
  try {
    return { begun: all.begun, keyRows: rowsByName(await all.found), lockedElsewhere: new Set() };
  } catch {
    const free = lock(`ROLLBACK; ${begin}`, ' SKIP LOCKED');
    // If this fails, so does all that follows.
    const keyRows = rowsByName(await free.found.catch(() => []));
    const lockedElsewhere = new Set([...names.values()].filter((name) => !keyRows.has(name)));
    return { begun: free.begun, keyRows, lockedElsewhere };
  }
}

/** The tasks of one key in a group. */
class ChainRun<Task extends GroupTask> {
  readonly ended: Promise<void>;
  /** Whether the group can be committed: statements that a failed task has sent cannot be undone alone. */
  isCommittable = true;
  private readonly detached: Task[] = [];
  private isGlobal = false;
  /** Tasks that have ended, and how their callers learn the result. */
  private readonly decided: { readonly task: Task; readonly tell: () => void }[] = [];

  constructor(
    client: PoolClient,
    tasks: readonly Task[],
    readonly chain: Chain,
  ) {
    const open = tasks.map((task) => ({ task, ...task.open(client, this.chain) }));
    const first = open[0]?.start();
    // The look-ups of the others go out together with the statement that locks the row.
    for (const { tx } of open.slice(1)) tx.prepare();
    this.ended = this.run(open, first);
  }

  /** Tells the callers the results, if the group is committed. */
  settle(committed: boolean, blocked: ReadonlyMap<Task, RowKey>): Rest<Task> {
    const { detached, isGlobal, decided } = this;
    if (!committed) return { detached, isGlobal, blocked, undone: decided.map(({ task }) => task) };
    for (const { tell } of decided) tell();
    return { detached, isGlobal, blocked, undone: [] };
  }

  private async run(
    open: readonly (OpenTask<unknown> & { readonly task: Task })[],
    first: Promise<unknown> | undefined,
  ): Promise<void> {
    for (const [index, { task, tx, start }] of open.entries()) {
      try {
        const result = await (index === 0 ? first : start());
        this.chain.add(tx.handOver());
        this.decided.push({ task, tell: () => task.resolve(result) });
      } catch (error) {
        this.isCommittable = tx.abort() && this.isCommittable;
        this.isGlobal ||= tx.isGlobal;
        if (!this.chain.isShared && !tx.hasLockedKey && isTimeout(error)) {
          // The row of the key stays locked elsewhere, for all that follow too. Each would wait as long again alone.
          for (const { task: blocked } of open.slice(index)) blocked.reject(error);
          return;
        }
        if (!tx.hasLeft) {
          this.decided.push({ task, tell: () => task.reject(error) });
        } else if (tx.hasLockedKey) {
          this.detached.push(task);
        } else {
          // The row of the key is locked elsewhere, for all that follow too.
          this.detached.push(...open.slice(index).map((blocked) => blocked.task));
          return;
        }
      }
    }
  }
}

/** Commits what the tasks have queued, or rolls back. @returns whether it is committed; throws when that is unknown */
async function end(
  client: PoolClient,
  runs: readonly ChainRun<GroupTask>[],
  isHeld: boolean,
): Promise<boolean> {
  const commit = isHeld && runs.every(({ isCommittable }) => isCommittable);
  const queues = new Map<Part, QueuedStatement[]>();
  for (const { chain } of commit ? runs : []) {
    const queue = queues.get(chain.part) ?? [];
    queues.set(chain.part, queue);
    queue.push(...chain.takeAll());
  }
  const ended = pipeline(client, () => {
    for (const [part, queue] of queues)
      for (const { sql, params } of merge(queue, part.shard.merges)) void part.send(sql, params);
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
