import DataLoader from 'dataloader';
import { AsyncResource } from 'node:async_hooks';
import { ConcurrencyLimit } from './concurrency-limit';

const MAX_BATCH = 100;

/** The calls of one reader that run at a time. While they run, the keys of the next one gather. */
const MAX_RUNNING = 2;

/**
 * Returns a function that reads one item by its key, or null. Reads of the same moment share one call of `readAll`, and
 * nothing is cached. Its connections are charged to none of the requests (see Database.runFor): an item is quickly read
 * by its key, and there are at most two calls at a time.
 * @param readAll reads the items of different keys; the result has no entry for a key without an item
 */
export function batchedReads<Item>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Item>>,
): (key: string) => Promise<Item | null> {
  const outsideRequests = new AsyncResource('batchedReads');
  const limit = new ConcurrencyLimit(MAX_RUNNING);
  const readInOrder = async (keys: readonly string[]): Promise<(Item | null)[]> => {
    try {
      const items = await outsideRequests.runInAsyncScope(readAll, undefined, [...new Set(keys)]);
      return keys.map((key) => items.get(key) ?? null);
    } finally {
      limit.release();
    }
  };
  const loader = new DataLoader(readInOrder, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    batchScheduleFn: (read) => limit.schedule(read),
  });
  return (key) => loader.load(key);
}
