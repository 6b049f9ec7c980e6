import { batchedReads } from '../../../src/platform/database/batched-reads';
import { currentCall, runInScope } from '../../../src/platform/telemetry/call-scope';

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

  it('run two calls at a time, while the keys of the next one gather', async () => {
    const ends: (() => void)[] = [];
    find = batchedReads((keys) => {
      calls.push(keys);
      return new Promise((resolve) => ends.push(() => resolve(items)));
    });
    const found: Promise<string | null>[] = [];
    for (const key of ['a', 'b', 'c', 'd']) {
      found.push(find(key));
      await turn();
    }
    expect(calls).toEqual([['a'], ['b']]);
    ends[1]!();
    expect(await found[1]).toBe('item b');
    await turn();
    expect(calls[2]).toEqual(['c', 'd']);
    ends[0]!();
    ends[2]!();
    expect(await Promise.all(found)).toEqual(['item a', 'item b', null, null]);
  });

  it('read from one server in a call, so that one which does not respond delays and fails no others', async () => {
    let respond: (error: Error) => void = () => undefined;
    find = batchedReads(
      (keys) => {
        calls.push(keys);
        return keys.includes('b') ? new Promise((_, reject) => (respond = reject)) : Promise.resolve(items);
      },
      (key) => (key === 'b' ? 2 : 1),
    );
    const lost = [find('b'), find('b')];
    await turn();
    lost.push(find('b'));
    await turn();
    lost.push(find('b'));
    expect(await Promise.all([find('a'), find('unknown')])).toEqual(['item a', null]);
    expect(calls).toEqual([['b'], ['b'], ['a', 'unknown']]);
    respond(new Error('no connection'));
    await expect(lost[2]).rejects.toThrow('no connection');
  });

  it('run again after calls that failed', async () => {
    let fails = true;
    find = batchedReads(async () => {
      if (fails) throw new Error('no connection');
      return items;
    });
    for (let call = 0; call < 3; call += 1) await expect(find('a')).rejects.toThrow('no connection');
    fails = false;
    expect(await find('a')).toBe('item a');
  });

  it('are not charged to the request that asks first', async () => {
    const charged: unknown[] = [];
    find = batchedReads(async () => {
      charged.push(currentCall());
      return items;
    });
    await runInScope({ holder: { current: 'busy' } }, () => find('a'));
    expect(charged).toEqual([undefined]);
  });
});
