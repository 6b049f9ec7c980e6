import { DomainError } from '../../kernel/domain-error';

/** How long work waits for other work with its key; the same as for a connection. */
export const MAX_WAIT_MS = 5_000;

/** Bounds the queue of one key, and so its memory. */
export const MAX_WAITING = 1_000;

/** Runs a bounded number of tasks with the same key at a time. The others wait in the queue of their key. */
export class KeyedLimit {
  private readonly queues = new Map<string, KeyQueue>();

  /** @param size the tasks with one key that run at a time */
  constructor(private readonly size: number) {}

  /** @throws DomainError `unavailable` when too many tasks wait for the key, or this one has waited for too long */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = this.queues.get(key) ?? new KeyQueue(this.size);
    this.queues.set(key, queue);
    await queue.enter();
    try {
      return await work();
    } finally {
      queue.leave();
      if (queue.isEmpty) this.queues.delete(key);
    }
  }
}

class KeyQueue {
  private running = 0;
  /** In order of arrival. */
  private readonly waiting = new Set<() => void>();

  constructor(private readonly size: number) {}

  get isEmpty(): boolean {
    return this.running === 0;
  }

  async enter(): Promise<void> {
    if (this.running < this.size) {
      this.running += 1;
      return;
    }
    if (this.waiting.size >= MAX_WAITING) throw busy();
    await new Promise<void>((resolve, reject) => {
      const proceed = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiting.delete(proceed);
        reject(busy());
      }, MAX_WAIT_MS);
      this.waiting.add(proceed);
    });
  }

  /** Passes the place on to the first that waits. */
  leave(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.running -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}

/**
 * The error of a request that has waited for too long, or that too many others precede.
 * @param options the last error of one that was attempted several times
 */
export function busy(options?: ErrorOptions): DomainError {
  return new DomainError('unavailable', 'The service is busy. Retry shortly.', 1, options);
}
