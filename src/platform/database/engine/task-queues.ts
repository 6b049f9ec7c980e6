import { busy, MAX_WAITING } from '../waiting';

/** A key with more waiting tasks than this gets its own group, for whose end no other key has to wait. */
const MAX_BESIDE_OTHERS = 8;

/** A task that waits in the queue of its key. */
export interface QueuedTask {
  readonly key: string;
  /** Whether it shares no group with other keys. */
  readonly isApart: boolean;
  /** Tasks that are repeats of each other are never taken together; null when a task has none. */
  readonly repeatKey: string | null;
  readonly reject: (error: unknown) => void;
}

/** Tasks that wait for their turn, by their keys. Tasks with one key are taken in their order of arrival. */
export class TaskQueues<Task extends QueuedTask> {
  private readonly queues = new Map<string, Map<Task, NodeJS.Timeout>>();

  /** @param maxWaitMs how long a task waits */
  constructor(private readonly maxWaitMs: number) {}

  /** Rejects the task as `unavailable` when too many wait with its key, or when it has waited for too long. */
  add(task: Task): void {
    const queue = this.queues.get(task.key) ?? new Map<Task, NodeJS.Timeout>();
    if (queue.size >= MAX_WAITING) {
      task.reject(busy());
      return;
    }
    const expire = (): void => {
      this.remove([task]);
      task.reject(busy());
    };
    this.queues.set(task.key, queue.set(task, setTimeout(expire, this.maxWaitMs)));
  }

  /** Whether a task with the key waits. */
  has(key: string): boolean {
    return this.queues.has(key);
  }

  /**
   * Takes tasks of one server, whose keys are not in use.
   * @param serverOf the number of the server of a key, whose first task it gets; null for a key that is in use
   * @returns at most `count` tasks in lists of one key each
   */
  take(count: number, serverOf: (key: string, first: Task) => number | null): Task[][] {
    const taken: Task[][] = [];
    const repeats = new Set<string>();
    let left = count;
    let server: number | null = null;
    for (const [key, queue] of this.queues) {
      if (left === 0) break;
      const [first] = queue.keys();
      const isLong = queue.size > MAX_BESIDE_OTHERS || first!.isApart;
      if (isLong && taken.length > 0) continue;
      const serverOfKey = serverOf(key, first!);
      if (serverOfKey === null || (server !== null && server !== serverOfKey)) continue;
      const tasks = findFirst(queue.keys(), left, repeats);
      if (tasks.length === 0) continue;
      taken.push(tasks);
      server = serverOfKey;
      left = isLong ? 0 : left - tasks.length;
    }
    this.remove(taken.flat());
    return taken;
  }

  private remove(tasks: readonly Task[]): void {
    for (const task of tasks) {
      const queue = this.queues.get(task.key)!;
      clearTimeout(queue.get(task));
      queue.delete(task);
      this.queues.delete(task.key);
      // The turn of what remains comes after that of other keys.
      if (queue.size > 0) this.queues.set(task.key, queue);
    }
  }
}

/** Returns the first tasks that are no repeats of those in `repeats` or of each other, and adds them to it. */
function findFirst<Task extends QueuedTask>(
  tasks: Iterable<Task>,
  count: number,
  repeats: Set<string>,
): Task[] {
  const found: Task[] = [];
  for (const task of tasks) {
    if (found.length === count) break;
    if (task.repeatKey !== null && repeats.has(task.repeatKey)) continue;
    if (task.repeatKey !== null) repeats.add(task.repeatKey);
    found.push(task);
  }
  return found;
}
