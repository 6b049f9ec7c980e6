import type { PoolClient, QueryResultRow } from 'pg';
import { Chain, type GroupTx, Part } from './group-tx';
import { ignoreRejection, pipeline, prepared } from './connection';
import { isRejectedCommit } from '../failures';
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

/** Tasks of many accounts wait for the locks of a group, so it does not wait for long: then each waits alone. */
const BEGIN_WITH_LOCKS = 'BEGIN; SET LOCAL lock_timeout = 1000';

/** The same where the rows are on workers of Citus. */
const BEGIN_WITH_LOCKS_ON_WORKERS = `BEGIN; SET LOCAL citus.propagate_set_commands = 'local'; SET LOCAL lock_timeout = 1000`;

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
 * @throws the failure of the connection, after which the outcome of the tasks is unknown
 */
export async function runGroup<Task extends GroupTask>(
  client: PoolClient,
  chains: readonly (readonly Task[])[],
  isShared: boolean,
  shardOf: (key: string) => Shard,
  hold: (send: Send, shards: readonly Shard[]) => Promise<boolean>,
): Promise<Rest<Task>[]> {
  const shards = chains.map(([first]) => shardOf(first!.key));
  const parts = new Map(shards.map((shard) => [shard, new Part(client, shard)]));
  const rows = chains.flat().flatMap(({ locks }) => (typeof locks === 'string' ? [] : locks));
  const merges = shards.every((shard) => shard.merges);
  const { begun, started } = await beginWith(client, rows, merges, (keyRows) => {
    const held = hold(
      (sql, params) => ignoreRejection(client.query(prepared(sql, params))),
      [...parts.keys()],
    );
    const runs = chains.map(
      (tasks, index) => new ChainRun(client, tasks, new Chain(isShared, parts.get(shards[index]!)!, keyRows)),
    );
    for (const { lookUps } of parts.values()) lookUps.start();
    return { held, runs };
  });
  const { held, runs } = started;
  await Promise.all(runs.map((run) => run.ended));
  await begun; // without it, each statement would commit on its own, and the COMMIT would succeed
  const committed = await end(client, runs, await held);
  return runs.map((run) => run.settle(committed));
}

/**
 * Begins the transaction in one pipeline with the first statements of the tasks. Where tasks have several rows, these are
 * locked before, in the order of their keys: two such groups never wait for each other.
 * @param merges whether one statement may lock several rows
 */
async function beginWith<Started>(
  client: PoolClient,
  rows: readonly RowKey[],
  merges: boolean,
  start: (keyRows: Map<string, QueryResultRow>) => Started,
): Promise<{ begun: Promise<unknown>; started: Started }> {
  const [first] = rows;
  if (first === undefined)
    return pipeline(client, () => ({
      begun: ignoreRejection(client.query('BEGIN')),
      started: start(new Map()),
    }));
  const column = first.columns[0]!;
  const names = new Map(rows.map(({ key, row }) => [key, row]));
  const select = `${first.sql} ORDER BY "${column}"::text COLLATE "C" FOR UPDATE`;
  const keys = [...names.keys()];
  const { begun, locked } = pipeline(client, () => ({
    begun: ignoreRejection(client.query(merges ? BEGIN_WITH_LOCKS : BEGIN_WITH_LOCKS_ON_WORKERS)),
    locked: Promise.all(
      (merges ? [keys] : keys.toSorted().map((key) => [key])).map((some) =>
        client.query<QueryResultRow>(prepared(select, [some])),
      ),
    ),
  }));
  // If it fails, so does all that follows, and each task runs alone.
  const found = await locked.then(
    (results) => results.flatMap((result) => result.rows),
    () => [],
  );
  const keyRows = new Map(found.map((row) => [names.get(String(row[column]))!, row]));
  return pipeline(client, () => ({ begun, started: start(keyRows) }));
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
    const first = open[0]!.start();
    // The look-ups of the others go out together with the statement that locks the row.
    for (const { tx } of open.slice(1)) tx.prepare();
    this.ended = this.run(open, first);
  }

  /** Tells the callers the results, if the group is committed. */
  settle(committed: boolean): Rest<Task> {
    const { detached, isGlobal, decided } = this;
    if (!committed) return { detached, isGlobal, undone: decided.map(({ task }) => task) };
    for (const { tell } of decided) tell();
    return { detached, isGlobal, undone: [] };
  }

  private async run(
    open: readonly (OpenTask<unknown> & { readonly task: Task })[],
    first: Promise<unknown>,
  ): Promise<void> {
    for (const [index, { task, tx, start }] of open.entries()) {
      try {
        const result = await (index === 0 ? first : start());
        this.chain.add(tx.handOver());
        this.decided.push({ task, tell: () => task.resolve(result) });
      } catch (error) {
        this.isCommittable = tx.abort() && this.isCommittable;
        this.isGlobal ||= tx.isGlobal;
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
