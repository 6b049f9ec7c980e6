import { batchedReads } from '../../../src/platform/database/batched-reads';

describe('Reads in batches', () => {
  let items: Map<string, string>;
  let calls: (readonly string[])[];
  let find: (key: string) => Promise<string | null>;

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    items = new Map([
      ['a', 'item a'],
      ['b', 'item b'],
    ]);
    calls = [];
    find = batchedReads((keys) => {
      calls.push(keys);
      return Promise.resolve(new Map([...items].filter(([key]) => keys.includes(key))));
    });
  });

  it('share one call with those of the same moment, and name each key once', async () => {
    const found = await Promise.all(['b', 'a', 'unknown', 'b'].map(find));
    expect(found).toEqual(['item b', 'item a', null, 'item b']);
    expect(calls).toEqual([['b', 'a', 'unknown']]);
  });

  it('read again what an earlier call has read', async () => {
    await find('a');
    items.set('a', 'changed');
    expect(await find('a')).toBe('changed');
  });

  it('do not join a call that has started', async () => {
    const finish: (() => void)[] = [];
    find = batchedReads((keys) => {
      calls.push(keys);
      const found = new Map(items);
      return new Promise((resolve) => finish.push(() => resolve(found)));
    });
    const before = find('a');
    await turn();
    items.set('a', 'changed');
    const after = find('a');
    await turn();
    finish.forEach((end) => end());
    expect(await Promise.all([before, after])).toEqual(['item a', 'changed']);
    expect(calls).toEqual([['a'], ['a']]);
  });

  it('fail together', async () => {
    find = batchedReads(() => Promise.reject(new Error('no connection')));
    const failed = await Promise.allSettled([find('a'), find('b')]);
    expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  });
});
