interface Key {
  readonly accountId: string;
  readonly transactionId: string;
}

/** Reads a stream of batches, which is ordered by account id, item by item. */
export class OrderedStream<Item extends { readonly accountId: string }> {
  /** How many items have been read. */
  count = 0;
  private readonly batches: AsyncIterator<Item[]>;
  private batch: Item[] = [];
  private position = 0;

  /** @param progress is called with the number of items read, once per batch */
  constructor(
    stream: AsyncIterable<Item[]>,
    private readonly progress: (count: number) => void = () => undefined,
  ) {
    this.batches = stream[Symbol.asyncIterator]();
  }

  /** Returns the next item without advancing; null at the end. */
  async peek(): Promise<Item | null> {
    while (this.position === this.batch.length) {
      const next = await this.batches.next();
      if (next.done) return null;
      this.batch = next.value;
      this.position = 0;
      this.progress(this.count);
    }
    return this.batch[this.position]!;
  }

  /** Moves past the item that `peek` returned. */
  advance(): void {
    this.position += 1;
    this.count += 1;
  }

  /** Returns the next item without advancing if it belongs to the account, else null. */
  async peekOf(accountId: string): Promise<Item | null> {
    const item = await this.peek();
    return item?.accountId === accountId ? item : null;
  }

  of(accountId: string): AsyncIterable<Item> {
    return this.takeWhile((item) => item.accountId === accountId);
  }

  /** Reads the items of all accounts before this one. */
  before(accountId: string): AsyncIterable<Item> {
    return this.takeWhile((item) => item.accountId < accountId);
  }

  /** Reads all remaining items. */
  rest(): AsyncIterable<Item> {
    return this.takeWhile(() => true);
  }

  private async *takeWhile(isTaken: (item: Item) => boolean): AsyncIterable<Item> {
    for (let item = await this.peek(); item !== null && isTaken(item); item = await this.peek()) {
      this.advance();
      yield item;
    }
  }
}

/** Merges streams that are ordered by account id and transaction id into one. */
export async function* merge<Item extends Key>(
  streams: readonly AsyncIterable<Item[]>[],
): AsyncIterable<Item[]> {
  const sources = streams.map((stream) => new OrderedStream(stream));
  for (;;) {
    let first: { source: OrderedStream<Item>; item: Item } | null = null;
    for (const source of sources) {
      const item = await source.peek();
      if (item !== null && (first === null || isBefore(item, first.item))) first = { source, item };
    }
    if (first === null) return;
    first.source.advance();
    yield [first.item];
  }
}

function isBefore(a: Key, b: Key): boolean {
  return a.accountId === b.accountId ? a.transactionId < b.transactionId : a.accountId < b.accountId;
}
