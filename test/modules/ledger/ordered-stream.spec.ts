import { merge, OrderedStream } from '../../../src/modules/ledger/ordered-stream';

interface Item {
  readonly accountId: string;
  readonly transactionId: string;
}

/** The items that "a1 b2" names: transaction 1 of account a, then transaction 2 of account b. */
function itemsOf(names: string): Item[] {
  return names.split(' ').map((name) => ({ accountId: name[0]!, transactionId: name.slice(1) }));
}

/** A stream of batches. An empty text is an empty batch. */
async function* streamOf(...batches: string[]): AsyncIterable<Item[]> {
  for (const batch of batches) yield batch === '' ? [] : itemsOf(batch);
}

async function collect(items: AsyncIterable<Item>): Promise<string> {
  const names: string[] = [];
  for await (const { accountId, transactionId } of items) names.push(accountId + transactionId);
  return names.join(' ');
}

const merged = (...streams: AsyncIterable<Item[]>[]): Promise<string> =>
  collect(new OrderedStream(merge(streams)).rest());

describe('merge', () => {
  it('orders the items of all streams by account and then by transaction', async () => {
    expect(await merged(streamOf('a1 a4 c1'), streamOf('a2 b9'), streamOf('a3 c2'))).toBe(
      'a1 a2 a3 a4 b9 c1 c2',
    );
  });

  it('continues across batches, also empty ones', async () => {
    expect(await merged(streamOf('a1', '', 'a3 b1'), streamOf('', 'a2', 'b2'))).toBe('a1 a2 a3 b1 b2');
  });

  it('keeps items with the same key', async () => {
    expect(await merged(streamOf('a1 a2'), streamOf('a1'))).toBe('a1 a1 a2');
  });

  it('compares ids by code unit, like the streams of the database', async () => {
    expect(await merged(streamOf('aB aa'), streamOf('aa'))).toBe('aB aa aa');
  });

  it('passes a single stream through', async () => {
    expect(await merged(streamOf('a1 a2', 'b1'))).toBe('a1 a2 b1');
  });

  it.each([[[]], [[streamOf()]], [[streamOf(), streamOf('')]]])('of nothing is empty', async (streams) => {
    expect(await merged(...streams)).toBe('');
  });

  it('fails when one of the streams fails', async () => {
    async function* failing(): AsyncIterable<Item[]> {
      yield itemsOf('a1');
      throw new Error('connection lost');
    }
    await expect(merged(streamOf('a2'), failing())).rejects.toThrow('connection lost');
  });
});

describe('A stream of the items of accounts', () => {
  it('is read account by account, and says what it skips', async () => {
    const stream = new OrderedStream(streamOf('a1 b1', 'b2 c1'));
    expect(await collect(stream.before('a'))).toBe('');
    expect(await collect(stream.before('b'))).toBe('a1');
    expect(await stream.peekOf('a')).toBeNull();
    expect(await stream.peekOf('b')).toEqual({ accountId: 'b', transactionId: '1' });
    expect(await collect(stream.of('b'))).toBe('b1 b2');
    expect(await collect(stream.of('b'))).toBe('');
    expect(await collect(stream.rest())).toBe('c1');
    expect(await stream.peekOf('c')).toBeNull();
  });

  it('tells how many items were read, with each batch', async () => {
    const counts: number[] = [];
    const stream = new OrderedStream(streamOf('a1 a2', '', 'b1'), (count) => counts.push(count));
    await collect(stream.rest());
    expect([counts, stream.count]).toEqual([[0, 2, 2], 3]);
  });
});
