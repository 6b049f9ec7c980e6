import DataLoader from 'dataloader';
import { runOutsideCalls } from '../telemetry/call-scope';

/** Starts a bounded number of calls at a time, the others in order of arrival. */
export class ConcurrencyLimit {
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

const MAX_BATCH = 100;

/** The calls of one reader to one server that run at a time. While they run, the keys of the next one gather. */
const MAX_RUNNING = 2;

type ReadAll<Item> = (keys: readonly string[]) => Promise<ReadonlyMap<string, Item>>;

/**
 * Returns a function that reads one item by its key, or null. Reads of the same moment share one call of `readAll`, and
 * nothing is cached. Its connections are charged to none of the requests (see Database.runFor): an item is quickly read
 * by its key, and there are at most two calls at a time.
 * @param readAll reads the items of different keys; the result has no entry for a key without an item
 * @param serverOf the number of the server that has the item of a key: a call reads from one server
 */
export function batchedReads<Item>(
  readAll: ReadAll<Item>,
  serverOf: (key: string) => number = () => 0,
): (key: string) => Promise<Item | null> {
  const readOutsideCalls: ReadAll<Item> = (keys) => runOutsideCalls(() => readAll(keys));
  const loaders = new Map<number, DataLoader<string, Item | null>>();
  return (key) => {
    const server = serverOf(key);
    const loader = loaders.get(server) ?? createLoader(readOutsideCalls);
    loaders.set(server, loader);
    return loader.load(key);
  };
}

function createLoader<Item>(readAll: ReadAll<Item>): DataLoader<string, Item | null> {
  const limit = new ConcurrencyLimit(MAX_RUNNING);
  const readInOrder = async (keys: readonly string[]): Promise<(Item | null)[]> => {
    try {
      const items = await readAll([...new Set(keys)]);
      return keys.map((key) => items.get(key) ?? null);
    } finally {
      limit.release();
    }
  };
  return new DataLoader(readInOrder, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (read) => limit.schedule(read),
  });
}
