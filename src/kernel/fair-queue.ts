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
  private readonly tasks = new Branch();

  /**
   * @param concurrency the number of tasks that run at once
   * @param capacity the number of tasks that wait; beyond it, the name with the most waiting tasks at each level loses
   * its newest, so that none can fill the queue
   * @param rejection creates the error of a task that cannot wait
   * @param shares the number of tasks of one name that run at once, for each level of the paths, so that long tasks of
   * one name leave places for others; all for a level without a number
   * @param maxWaitMs after how long a task that still waits is rejected; without it, none is for that
   */
  constructor(
    private readonly concurrency: number,
    private readonly capacity: number,
    private readonly rejection: () => Error,
    private readonly shares: readonly number[] = [],
    private readonly maxWaitMs?: number,
  ) {}

  get runningCount(): number {
    return this.running;
  }

  get waitingCount(): number {
    return this.tasks.size;
  }

  /** Runs the task when it is its turn. @throws the rejection, and then the task has not been started */
  async run<T>(path: readonly string[], task: () => Promise<T>): Promise<T> {
    await this.turn(path);
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.tasks.leave(path);
      this.startNext();
    }
  }

  private turn(path: readonly string[]): Promise<void> {
    return new Promise((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const task: WaitingTask = {
        start: () => {
          clearTimeout(timer);
          resolve();
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.tasks.add(path, task);
      if (this.startNext()) return;
      if (this.maxWaitMs !== undefined)
        timer = setTimeout(() => {
          this.tasks.remove(path, task);
          reject(this.rejection());
        }, this.maxWaitMs);
      if (this.tasks.size > this.capacity) this.tasks.takeNewest(path).reject(this.rejection());
    });
  }

  /** @returns whether there was a place, and a task that could take it */
  private startNext(): boolean {
    if (this.running === this.concurrency) return false;
    const next = this.tasks.takeNext(this.shares);
    if (next === null) return false;
    this.running += 1;
    next.start();
    return true;
  }
}

/** The tasks of one name: its branches, or at the end of a path the waiting tasks themselves, oldest first. */
class Branch {
  /** How many wait. */
  size = 0;
  private running = 0;
  private readonly waiting: WaitingTask[] = [];
  /** Each has tasks that wait or run. */
  private readonly branches = new Map<string, Branch>();
  /** Those with tasks that wait, in the order of their turns: many more may only run. */
  private readonly turns = new Map<string, Branch>();

  add([name, ...rest]: readonly string[], task: WaitingTask): void {
    this.size += 1;
    if (name === undefined) {
      this.waiting.push(task);
      return;
    }
    const branch = this.branches.get(name) ?? new Branch();
    this.branches.set(name, branch);
    this.turns.set(name, branch);
    branch.add(rest, task);
  }

  /** Removes the task whose turn it is, and counts it as running; null when none waits or those that do have their share. */
  takeNext([share = Infinity, ...rest]: readonly number[]): WaitingTask | null {
    for (const [name, branch] of this.turns) {
      const task = branch.running < share ? branch.takeNext(rest) : null;
      if (task === null) continue;
      // The next turn is another branch's.
      this.turns.delete(name);
      if (branch.size > 0) this.turns.set(name, branch);
      branch.running += 1;
      this.size -= 1;
      return task;
    }
    const task = this.waiting.shift();
    if (task === undefined) return null;
    this.size -= 1;
    return task;
  }

  /** Counts a task as no longer running. */
  leave([name, ...rest]: readonly string[]): void {
    if (name === undefined) return;
    const branch = this.branches.get(name)!;
    branch.running -= 1;
    branch.leave(rest);
    this.removeIfEmpty(name, branch);
  }

  /** Removes the newest task of the largest branch. @param path of the arrived task, which loses unless one is larger */
  takeNewest([arrived, ...rest]: readonly string[]): WaitingTask {
    this.size -= 1;
    const largest = this.largest(arrived);
    if (largest === undefined) return this.waiting.pop()!;
    const branch = this.branches.get(largest)!;
    const task = branch.takeNewest(largest === arrived ? rest : []);
    this.removeIfEmpty(largest, branch);
    return task;
  }

  remove([name, ...rest]: readonly string[], task: WaitingTask): void {
    this.size -= 1;
    if (name === undefined) {
      this.waiting.splice(this.waiting.indexOf(task), 1);
      return;
    }
    const branch = this.branches.get(name)!;
    branch.remove(rest, task);
    this.removeIfEmpty(name, branch);
  }

  /** Returns the name of the largest branch; if several are, `preferred`, or else the last of them in turn. */
  private largest(preferred: string | undefined): string | undefined {
    const branches = [...this.turns].map(([name, { size }]) => ({ name, size }));
    const most = Math.max(0, ...branches.map(({ size }) => size));
    const largest = branches.filter(({ size }) => size === most).map(({ name }) => name);
    return largest.find((name) => name === preferred) ?? largest.at(-1);
  }

  private removeIfEmpty(name: string, branch: Branch): void {
    if (branch.size > 0) return;
    this.turns.delete(name);
    if (branch.running === 0) this.branches.delete(name);
  }
}
