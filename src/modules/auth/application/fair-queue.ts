/** The class of a task. Classes take turns, so that many tasks of one class do not delay another class. */
export type TaskClass = 'login' | 'other';

interface WaitingTask {
  start(): void;
  reject(error: Error): void;
}

/**
 * Runs a bounded number of tasks at once. Free places go to the classes of tasks in turn and, within a class, to the
 * clients in turn: a client that sends many tasks delays its own, and others by one task at most.
 */
export class FairQueue {
  private running = 0;
  private waiting = 0;
  /** The tasks by class and client. Classes and clients are in the order of their turns; none is empty. */
  private readonly classes = new Map<TaskClass, Map<string, WaitingTask[]>>();

  /**
   * @param concurrency the number of tasks that run at once
   * @param capacity the number of tasks that wait; beyond it, the client with the most waiting tasks loses its newest
   * @param rejection creates the error of a task that cannot wait
   */
  constructor(
    private readonly concurrency: number,
    private readonly capacity: number,
    private readonly rejection: () => Error,
  ) {}

  /** Runs the task when it is the client's turn. @throws the rejection, and then the task has not been started */
  async run<T>(taskClass: TaskClass, client: string, task: () => Promise<T>): Promise<T> {
    await this.turn(taskClass, client);
    try {
      return await task();
    } finally {
      this.running -= 1;
      this.startNext();
    }
  }

  private turn(taskClass: TaskClass, client: string): Promise<void> {
    return new Promise((start, reject) => {
      const clients = this.classes.get(taskClass) ?? new Map<string, WaitingTask[]>();
      const tasks = clients.get(client) ?? [];
      tasks.push({ start, reject });
      this.classes.set(taskClass, clients.set(client, tasks));
      this.waiting += 1;
      if (this.running < this.concurrency) this.startNext();
      else if (this.waiting > this.capacity) this.rejectNewestOfLongest(tasks);
    });
  }

  private startNext(): void {
    const [nextClass] = this.classes;
    if (nextClass === undefined) return;
    const [taskClass, clients] = nextClass;
    const [nextClient] = clients;
    const [client, tasks] = nextClient!;
    const task = tasks.shift()!;
    // Removed and added again at the end: the next turn is another client's and another class's.
    clients.delete(client);
    if (tasks.length > 0) clients.set(client, tasks);
    this.classes.delete(taskClass);
    if (clients.size > 0) this.classes.set(taskClass, clients);
    this.waiting -= 1;
    this.running += 1;
    task.start();
  }

  /** @param arrived the queue of the arrived task, which is rejected unless another queue is longer */
  private rejectNewestOfLongest(arrived: WaitingTask[]): void {
    const queues = [...this.classes.values()].flatMap((clients) => [...clients.values()]);
    const longest = queues.reduce((one, other) => (other.length > one.length ? other : one), arrived);
    this.waiting -= 1;
    longest.pop()!.reject(this.rejection());
    this.removeEmpty();
  }

  private removeEmpty(): void {
    for (const [taskClass, clients] of this.classes) {
      for (const [client, tasks] of clients) if (tasks.length === 0) clients.delete(client);
      if (clients.size === 0) this.classes.delete(taskClass);
    }
  }
}
