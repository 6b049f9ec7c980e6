import { setImmediate as turn } from 'node:timers/promises';
import { DomainError } from '../../../src/kernel/domain-error';
import { FairQueue } from '../../../src/kernel/fair-queue';
import { DueItem, DueItems, DueItemTask } from '../../../src/platform/jobs/due-items';
import { Log } from '../../../src/platform/telemetry/log';

const START = new Date('2026-01-31T09:30:00.000Z');
const seconds = (count: number): Date => new Date(START.getTime() + count * 1000);

/** Due rows in memory, oldest first. A row is due until it is processed. */
class Rows implements DueItemTask {
  readonly name = 'rows';
  readonly due: DueItem[] = [];
  /** Every call of `process`: the ids, joined. */
  readonly calls: string[] = [];
  readonly lookUps: { excluded: number; limit: number }[] = [];
  /** Fails the processing of a batch that contains the id. */
  readonly errors = new Map<string, Error>();
  /** Ids that stay due although they are processed. */
  readonly staying = new Set<string>();
  isOutage?: (error: unknown) => boolean;

  constructor(readonly batchSize: number) {}

  add(accountId: string, ...ids: string[]): this {
    this.due.push(...ids.map((id) => ({ accountId, id })));
    return this;
  }

  async findDue(_now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    this.lookUps.push({ excluded: excludedIds.length, limit });
    const excluded = new Set(excludedIds);
    return this.due.filter(({ id }) => !excluded.has(id)).slice(0, limit);
  }

  async process(_accountId: string, ids: readonly string[]): Promise<void> {
    this.calls.push(ids.join());
    for (const id of ids) if (this.errors.has(id)) throw this.errors.get(id)!;
    const done = ids.filter((id) => !this.staying.has(id));
    this.due.splice(0, Infinity, ...this.due.filter(({ id }) => !done.includes(id)));
  }
}

let logged: string[];
beforeEach(() => (logged = []));

describe('The count of due items', () => {
  it('is one look-up, which stops at its bound, and contains items that are postponed', async () => {
    const rows = new Rows(1).add('a', '1', '2', '3');
    rows.errors.set('2', new Error('rejected'));
    rows.staying.add('3');
    const items = new DueItems(rows, new Log('silent'));
    await items.run(START, new AbortController().signal);
    rows.lookUps.length = 0;
    expect(await items.countDue(START)).toBe(2);
    rows.add('b', ...Array.from({ length: 1_000 }, (_, index) => `b${index}`));
    expect(await items.countDue(START)).toBe(100);
    expect(rows.lookUps).toEqual([
      { excluded: 0, limit: 100 },
      { excluded: 0, limit: 100 },
    ]);
  });
});

function dueItems(rows: Rows): { run(now: Date, signal?: AbortSignal): Promise<void> } {
  const items = new DueItems(rows, new Log('info', { write: (line: string) => void logged.push(line) }));
  return {
    /** Runs until nothing more is due, as PeriodicTasks does. */
    run: async (now, signal = new AbortController().signal) => {
      while (await items.run(now, signal));
    },
  };
}

describe('The next run', () => {
  const until = seconds(15);

  it('is when the first item becomes due, or has become due, and null if none does in time', async () => {
    const rows = new Rows(1);
    const items = new DueItems(rows, new Log('silent'));
    expect(await items.nextRun(START, until)).toBeNull();
    rows.due.push({ accountId: 'a', id: '1', dueAt: seconds(7) });
    expect(await items.nextRun(START, until)).toEqual(seconds(7));
    rows.due.unshift({ accountId: 'a', id: '2' });
    expect(await items.nextRun(START, until)).toEqual(START);
  });

  it('is when an item that has failed is tried again', async () => {
    const rows = new Rows(1).add('a', '1');
    rows.errors.set('1', new Error('rejected'));
    const items = new DueItems(rows, new Log('silent'));
    await items.run(START, new AbortController().signal);
    expect(await items.nextRun(START, until)).toEqual(seconds(1));
    expect(await items.nextRun(seconds(1), until)).toEqual(seconds(1)); // found, and no longer postponed
    rows.due.length = 0;
    expect(await items.nextRun(seconds(1), until)).toBeNull();
  });
});

describe('A run', () => {
  it('processes the items of each account in batches, in the order in which they are found', async () => {
    const rows = new Rows(2).add('a', '1', '2').add('b', '3').add('a', '4');
    await dueItems(rows).run(START);
    expect(rows.calls).toEqual(['1,2', '4', '3']);
  });

  it('processes a batch of each account at the same time, up to 64 items, where the task allows it', async () => {
    const rows = Object.assign(new Rows(4).add('a', '1', '2', '3', '4', '5').add('b', '6', '7'), {
      concurrent: true as const,
    });
    rows.add('c', '8').add('d', '9', '10').add('e', '11');
    rows.errors.set('6', new Error('rejected'));
    for (let account = 0; account < 30; account += 1)
      rows.add(`many ${account}`, `${2 * account}x`, `${2 * account + 1}x`);
    const waves: string[][] = [];
    let begins = true;
    const process = rows.process.bind(rows);
    rows.process = async (accountId, ids) => {
      if (begins) waves.push([]);
      begins = false;
      waves.at(-1)!.push(ids.join());
      await new Promise((resolve) => setImmediate(resolve)); // all of a wave begin before the first of them ends
      begins = true;
      await process(accountId, ids);
    };
    await dueItems(rows).run(START);
    const small = waves.map((wave) => wave.filter((ids) => !ids.includes('x')));
    expect(small).toEqual([['1,2,3,4', '6,7', '8', '9,10', '11'], ['6'], ['7'], ['5']]);
    expect(waves.map((wave) => wave.join().split(',').length)).toEqual([64, 1, 1, 7]);
    expect(rows.due.map(({ id }) => id)).toEqual(['6']);
  });

  it('continues until nothing more is due', async () => {
    const ids = Array.from({ length: 1_200 }, (_, index) => `${index}`);
    const rows = new Rows(100).add('a', ...ids);
    await dueItems(rows).run(START);
    expect(rows.due).toEqual([]);
    expect(rows.lookUps).toHaveLength(3);
  });

  it('processes an item that stays due only once, and the next run processes it again', async () => {
    const ids = Array.from({ length: 600 }, (_, index) => `${index}`);
    const rows = new Rows(1).add('a', ...ids);
    rows.staying.add('0').add('599');
    const items = dueItems(rows);
    await items.run(START);
    expect(rows.calls).toHaveLength(600);
    await items.run(START);
    expect(rows.calls.slice(600)).toEqual(['0', '599']);
  });

  it('reaches the items behind a page of items that stay due', async () => {
    const ids = Array.from({ length: 1_100 }, (_, index) => `${index}`);
    const rows = new Rows(1).add('a', ...ids).add('b', 'last');
    for (const id of ids) rows.staying.add(id);
    await dueItems(rows).run(START);
    expect(rows.calls).toEqual([...ids, 'last']);
  });

  it('ends when too many items stay due', async () => {
    const ids = Array.from({ length: 6_000 }, (_, index) => `${index}`);
    const rows = new Rows(1).add('a', ...ids);
    for (const id of ids) rows.staying.add(id);
    await dueItems(rows).run(START);
    expect(rows.calls).toHaveLength(5_000);
  });

  it('ends between two batches when the service stops', async () => {
    const rows = new Rows(1).add('a', '1', '2');
    const stopping = new AbortController();
    const process = rows.process.bind(rows);
    rows.process = (accountId, ids) => {
      stopping.abort();
      return process(accountId, ids);
    };
    await dueItems(rows).run(START, stopping.signal);
    expect(rows.calls).toEqual(['1']);
  });
});

describe('A failing item', () => {
  it('does not block the other items of its batch, its account or other accounts', async () => {
    const rows = new Rows(3).add('a', '1', '2', '3', '4').add('b', '5');
    rows.errors.set('2', new Error('defect'));
    await dueItems(rows).run(START);
    expect(rows.calls).toEqual(['1,2,3', '1', '2', '3', '4', '5']);
    expect(rows.due).toEqual([{ accountId: 'a', id: '2' }]);
  });

  it('is postponed by a delay that doubles with each failure up to 30 minutes', async () => {
    const rows = new Rows(1).add('a', '1');
    rows.errors.set('1', new Error('defect'));
    const items = dueItems(rows);
    const attempts: number[] = [];
    for (let second = 0; second < 4 * 3600; second += 1) {
      const before = rows.calls.length;
      await items.run(seconds(second));
      if (rows.calls.length > before) attempts.push(second);
    }
    const delays = attempts.slice(1).map((second, index) => second - attempts[index]!);
    expect(delays.slice(0, 13)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 1800, 1800]);
  });

  it('starts with the first delay again after a success', async () => {
    const rows = new Rows(1).add('a', '1');
    const items = dueItems(rows);
    rows.errors.set('1', new Error('defect'));
    await items.run(seconds(0));
    await items.run(seconds(1));
    rows.errors.clear();
    await items.run(seconds(3));
    rows.add('a', '1').errors.set('1', new Error('defect'));
    await items.run(seconds(4));
    await items.run(seconds(5));
    expect(rows.calls).toHaveLength(5);
  });

  it('is logged with its delay and without the message of the error', async () => {
    const rows = new Rows(1).add('a', '1');
    rows.errors.set('1', new Error('secret of a customer'));
    await dueItems(rows).run(START);
    expect(JSON.parse(logged[0]!)).toMatchObject({
      level: 50,
      msg: 'The periodic task "rows" postponed 1 by 1 s, attempt 1',
    });
    expect(logged.join()).not.toContain('secret');
  });

  it('is logged as a notice with its code when it is rejected by a rule', async () => {
    const rows = new Rows(1).add('a', '1');
    rows.errors.set('1', new DomainError('forbidden', 'A hook rejects it.'));
    await dueItems(rows).run(START);
    expect(JSON.parse(logged[0]!)).toMatchObject({
      level: 30,
      msg: expect.stringMatching(/forbidden$/),
    });
  });

  it('is remembered within a bound, beyond which a run processes one page', async () => {
    const ids = Array.from({ length: 5_600 }, (_, index) => `${index}`);
    const rows = new Rows(1).add('a', ...ids);
    for (const id of ids) rows.errors.set(id, new Error('defect'));
    const items = dueItems(rows);
    await items.run(START);
    expect(rows.calls).toHaveLength(5_000);
    await items.run(START);
    expect(rows.calls).toHaveLength(5_500);
    expect(rows.lookUps.at(-1)).toEqual({ excluded: 5_000, limit: 500 });
  });
});

describe('An unavailable database', () => {
  const unavailable = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

  it('pauses the task after one attempt, and the next run starts with other items', async () => {
    const rows = new Rows(2).add('a', '1', '2').add('b', '3');
    for (const id of ['1', '2', '3']) rows.errors.set(id, unavailable);
    const items = dueItems(rows);
    await expect(items.run(START)).rejects.toBe(unavailable);
    expect(rows.calls).toEqual(['1,2']);
    await expect(items.run(START)).rejects.toBe(unavailable);
    expect(rows.calls).toEqual(['1,2', '3']);
    rows.errors.clear();
    await items.run(seconds(1));
    expect(rows.due).toEqual([]);
  });
});

describe('A timeout of the database', () => {
  const timeout = (code: string): Error => Object.assign(new Error('canceling statement'), { code });

  it.each(['55P03', '57014', '25P03', '25P04'])('with the code %s postpones only its item', async (code) => {
    const rows = new Rows(1).add('a', '1').add('b', '2');
    rows.errors.set('1', timeout(code));
    const items = dueItems(rows);
    await items.run(START);
    expect(rows.calls).toEqual(['1', '2']);
    await items.run(START);
    expect(rows.calls).toHaveLength(2);
    rows.errors.clear();
    await items.run(seconds(1));
    expect(rows.due).toEqual([]);
  });

  const busy = new DomainError('unavailable', 'The service is busy.');

  it.each([timeout('55P03'), busy])('ends the attempts for its account in this run: %s', async (error) => {
    const rows = new Rows(2).add('a', '1', '2', '3').add('b', '4');
    rows.errors.set('1', error).set('2', error).set('3', error);
    const items = dueItems(rows);
    await items.run(START);
    expect(rows.calls).toEqual(['1,2', '1', '4']);
    rows.errors.clear();
    await items.run(START);
    expect(rows.calls.slice(3)).toEqual(['2,3']);
  });
});

describe('A task with places', () => {
  const signal = new AbortController().signal;
  let places: FairQueue;
  let ends: Map<string, (error?: Error) => void>;

  beforeEach(() => {
    places = new FairQueue(2, Infinity, () => new Error('Too many.'));
    ends = new Map();
  });

  /** Items that are due until they begin, and end when the test lets them. */
  function slowRows(): Rows {
    const rows = Object.assign(new Rows(1), { places });
    rows.process = (_accountId, [id]) => {
      rows.calls.push(id!);
      rows.due.splice(0, Infinity, ...rows.due.filter((item) => item.id !== id));
      return new Promise((resolve, reject) =>
        ends.set(id!, (error) => (error === undefined ? resolve() : reject(error))),
      );
    };
    return rows;
  }

  it('processes as many items at the same time, also of one account, in order, and waits for places only', async () => {
    const rows = slowRows().add('a', '1', '2', '3').add('b', '4');
    const items = new DueItems(rows, new Log('silent'));
    const run = items.run(START, signal);
    await turn();
    expect(rows.calls).toEqual(['1', '2']);
    ends.get('2')!();
    await turn();
    expect(rows.calls).toEqual(['1', '2', '3']);
    ends.get('3')!();
    expect(await run).toBe(false);
    expect(rows.calls).toEqual(['1', '2', '3', '4']);
    rows.add('a', '5');
    ends.get('4')!();
    await items.run(START, signal);
    expect(rows.calls.at(-1)).toBe('5'); // although 1 has not ended
  });

  it('does not begin an item again that is in progress', async () => {
    const rows = slowRows().add('a', '1');
    const items = new DueItems(rows, new Log('silent'));
    await items.run(START, signal);
    rows.add('a', '1');
    await items.run(START, signal);
    expect(rows.lookUps.map(({ excluded }) => excluded)).toEqual([0, 1]);
    expect(rows.calls).toEqual(['1']);
  });

  it('takes turns with others that share them', async () => {
    const [one, other] = [slowRows().add('a', '1', '2', '3'), slowRows().add('b', '4', '5')];
    Object.assign(other, { name: 'other rows' });
    const runs = [one, other].map((rows) => new DueItems(rows, new Log('silent')).run(START, signal));
    const begun: string[] = [];
    while (begun.length < 5) {
      await turn();
      begun.push([...ends.keys()][begun.length]!);
      ends.get(begun.at(-1)!)!();
    }
    await Promise.all(runs);
    expect(begun).toEqual(['1', '4', '2', '5', '3']);
  });

  it('ends with what is in progress when the service stops', async () => {
    const rows = slowRows().add('a', '1', '2', '3');
    const stopping = new AbortController();
    const items = new DueItems(rows, new Log('silent'));
    const run = items.run(START, stopping.signal);
    await turn();
    stopping.abort();
    let isSettled = false;
    const settled = items.settle().then(() => (isSettled = true));
    await turn();
    expect(isSettled).toBe(false);
    ends.get('1')!();
    ends.get('2')!();
    expect(await run).toBe(false);
    await settled;
    expect(rows.calls).toEqual(['1', '2']);
  });

  it('pauses while the database is unavailable, and postpones an item that fails otherwise', async () => {
    const rows = slowRows().add('a', '1', '2', '3', '4');
    const items = new DueItems(rows, new Log('silent'));
    const run = items.run(START, signal);
    await turn();
    ends.get('1')!(new Error('defect'));
    await turn();
    ends.get('2')!(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
    await expect(run).rejects.toThrow('ECONNREFUSED');
    expect([rows.calls.length, items.postponed]).toEqual([4, 2]);
    ends.get('3')!();
    ends.get('4')!();
    await items.settle();
  });
});

describe('An outage of the system that a task calls', () => {
  const outage = new Error('The processor does not respond.');

  it('pauses the task after one attempt, and the next run starts with another item', async () => {
    const rows = new Rows(1).add('a', '1', '2').add('b', '3');
    rows.isOutage = (error) => error === outage;
    for (const id of ['1', '2', '3']) rows.errors.set(id, outage);
    const items = dueItems(rows);
    await expect(items.run(START)).rejects.toBe(outage);
    expect(rows.calls).toEqual(['1']);
    await expect(items.run(START)).rejects.toBe(outage);
    expect(rows.calls).toEqual(['1', '2']);
    rows.errors.clear();
    await items.run(seconds(1));
    expect(rows.due).toEqual([]);
  });

  it('is told from failures of single items, which do not pause the task', async () => {
    const rows = new Rows(1).add('a', '1', '2');
    rows.isOutage = (error) => error === outage;
    rows.errors.set('1', new Error('defect'));
    await dueItems(rows).run(START);
    expect(rows.calls).toEqual(['1', '2']);
  });
});
