import DataLoader from 'dataloader';

const MAX_BATCH = 100;

/**
 * Returns a function that reads one item by its key, or null. Reads of the same moment share one call of `readAll`, and
 * nothing is cached.
 * @param readAll reads the items of different keys; the result has no entry for a key without an item
 */
export function batchedReads<Item>(
  readAll: (keys: readonly string[]) => Promise<ReadonlyMap<string, Item>>,
): (key: string) => Promise<Item | null> {
  const readInOrder = async (keys: readonly string[]): Promise<(Item | null)[]> => {
    const items = await readAll([...new Set(keys)]);
    return keys.map((key) => items.get(key) ?? null);
  };
  const loader = new DataLoader(readInOrder, {
    cache: false,
    maxBatchSize: MAX_BATCH,
    // Requests arrive in separate callbacks. setImmediate runs after all callbacks of one turn of the event loop.
    batchScheduleFn: (read) => setImmediate(read),
  });
  return (key) => loader.load(key);
}
