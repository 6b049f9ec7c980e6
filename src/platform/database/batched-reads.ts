import DataLoader from 'dataloader';
import { runOutsideCalls } from '../telemetry/call-scope';

/** Starts a bounded number of calls at a time, the others in order of arrival. */
class ConcurrencyLimit {
  private running = 0;
  private readonly waiting: (() => void)[] = [];

  /** @param max the calls that run at a time */
  constructor(private readonly max: number) {}

  /** Starts a call now, or when earlier ones have ended. Call `release` when it has ended. */
  schedule(start: () => void): void {
    if (this.running === this.max) {
      this.waiting.push(start);
      return;
    }
    this.running += 1;
    // Requests arrive in separate callbacks. setImmediate runs after all callbacks of one turn of the event loop.
    setImmediate(start);
  }

  release(): void {
    this.running -= 1;
    const next = this.waiting.shift();
    if (next !== undefined) this.schedule(next);
  }
}

interface Batches<Key, Item> {
  /** The largest number of keys in a call. */
  readonly maxBatch: number;
  /** How many calls to one server run at a time. While they run, the keys of the next one gather. */
  readonly maxRunning: () => number;
  /** The number of the server that has the item of a key: a call reads from one server. */
  readonly serverOf: (key: Key) => number;
  /** Reads the items of keys, in their order. */
  readonly readAll: (keys: readonly Key[], server: number) => Promise<readonly (Item | Error)[]>;
}

/** Returns a function that reads one item. Reads of the same moment share one call, and nothing is cached. */
export function inBatches<Key, Item>({
  maxBatch,
  maxRunning,
  serverOf,
  readAll,
}: Batches<Key, Item>): (key: Key) => Promise<Item> {
  const loaders = new Map<number, DataLoader<Key, Item>>();
  const createLoader = (server: number): DataLoader<Key, Item> => {
    const limit = new ConcurrencyLimit(maxRunning());
    return new DataLoader((keys) => readAll(keys, server).finally(() => limit.release()), {
      cache: false,
      maxBatchSize: maxBatch,
      batchScheduleFn: (read) => limit.schedule(read),
    });
  };
  return (key) => {
    const server = serverOf(key);
    const loader = loaders.get(server) ?? createLoader(server);
    loaders.set(server, loader);
    return loader.load(key);
  };
}

/**
 * The same for items that are quickly read by a text, each key once in a call, or null. The connections are charged to none
 * of the requests (see Database.runFor), since there are at most two calls at a time.
 * @param readAll the result has no entry for a key without an item
 */
export function batchedReads<Item>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Item>>,
  serverOf: (key: string) => number = () => 0,
): (key: string) => Promise<Item | null> {
  return inBatches({
    maxBatch: 100,
    maxRunning: () => 2,
    serverOf,
    readAll: async (keys) => {
      const items = await runOutsideCalls(() => readAll([...new Set(keys)]));
      return keys.map((key) => items.get(key) ?? null);
    },
  });
}
