interface WaitingTask {
  start(): void;
  reject(error: Error): void;
}

/**
 * Runs a bounded number of tasks at once. Whose turn it is, is a path from the general to the particular, for example
 * a class of tasks, a provider's network and a client's network in it. At each level, free places go to the names in
 * turn: many tasks of one name, also of many names within it, delay another name at the same level by one task.
 */
export class FairQueue {
  private running = 0;
  private readonly waiting = new Branch();

  /**
   * @param concurrency the number of tasks that run at once
   * @param capacity the number of tasks that wait; beyond it, the name with the most waiting tasks at each level loses
   * its newest, so that none can fill the queue
   * @param rejection creates the error of a task that cannot wait
   */
  constructor(
    private readonly concurrency: number,
    private readonly capacity: number,
    private readonly rejection: () => Error,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Runs the task when it is its turn. @throws the rejection, and then the task has not been started */
  async run<T>(path: readonly string[], task: () => Promise<T>): Promise<T> {
    await this.turn(path);
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private turn(path: readonly string[]): Promise<void> {
    return new Promise((start, reject) => {
      this.waiting.add(path, { start, reject });
      if (this.running < this.concurrency) this.startNext();
      else if (this.waiting.size > this.capacity) this.waiting.takeNewest(path).reject(this.rejection());
    });
  }

  private startNext(): void {
    if (this.waiting.size === 0) return;
    this.running += 1;
    this.waiting.takeNext().start();
  }
}

/** The waiting tasks of one name: its branches, or at the end of a path the tasks themselves, oldest first. */
class Branch {
  size = 0;
  private readonly tasks: WaitingTask[] = [];
  /** In the order of their turns. None is empty. */
  private readonly branches = new Map<string, Branch>();

  add([name, ...rest]: readonly string[], task: WaitingTask): void {
    this.size += 1;
    if (name === undefined) {
      this.tasks.push(task);
      return;
    }
    const branch = this.branches.get(name) ?? new Branch();
    branch.add(rest, task);
    this.branches.set(name, branch);
  }

  /** Removes the task whose turn it is. */
  takeNext(): WaitingTask {
    this.size -= 1;
    const [next] = this.branches;
    if (next === undefined) return this.tasks.shift()!;
    const [name, branch] = next;
    const task = branch.takeNext();
    // Removed and added again at the end: the next turn is another branch's.
    this.branches.delete(name);
    if (branch.size > 0) this.branches.set(name, branch);
    return task;
  }

  /** Removes the newest task of the largest branch. @param path of the arrived task, which loses unless one is larger */
  takeNewest([arrived, ...rest]: readonly string[]): WaitingTask {
    this.size -= 1;
    const largest = this.largest(arrived);
    if (largest === undefined) return this.tasks.pop()!;
    const branch = this.branches.get(largest)!;
    const task = branch.takeNewest(largest === arrived ? rest : []);
    if (branch.size === 0) this.branches.delete(largest);
    return task;
  }

  /** Returns the name of the largest branch; if several are, `preferred`, or else the last of them in turn. */
  private largest(preferred: string | undefined): string | undefined {
    const branches = [...this.branches].map(([name, { size }]) => ({ name, size }));
    const most = Math.max(...branches.map(({ size }) => size));
    const largest = branches.filter(({ size }) => size === most).map(({ name }) => name);
    return largest.find((name) => name === preferred) ?? largest.at(-1);
  }
}
