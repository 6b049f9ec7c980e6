import { FairQueue } from '../../src/kernel/fair-queue';
import { fakeTimers } from '../support/fake-timers';

const CAPACITY = 10;

describe('FairQueue', () => {
  let queue: FairQueue;
  /** The names of the started tasks, in order. */
  let started: string[];
  /** Completes the task that runs. */
  let complete: () => void;
  let rejected: string[];

  beforeEach(() => {
    queue = new FairQueue(1, CAPACITY, () => new Error('full'));
    [started, rejected] = [[], []];
  });

  /** @param path the names whose turn it is, separated by slashes */
  function add(path: string, name: string): void {
    const task = () => {
      started.push(name);
      return new Promise<void>((resolve) => (complete = resolve));
    };
    queue.run(path.split('/'), task).catch(() => rejected.push(name));
  }

  const settle = () => new Promise(setImmediate);

  /** Completes running tasks until none is left. @returns the order in which all tasks were started */
  async function order(): Promise<string[]> {
    await settle();
    for (let count = -1; count < started.length;) {
      count = started.length;
      complete();
      await settle();
    }
    return started;
  }

  it('starts the tasks of one client in the order of their arrival', async () => {
    for (const name of ['a1', 'a2', 'a3']) add('login/a', name);
    expect(await order()).toEqual(['a1', 'a2', 'a3']);
  });

  it('lets clients take turns', async () => {
    for (const name of ['a1', 'a2', 'a3', 'a4']) add('login/a', name);
    for (const name of ['b1', 'b2']) add('login/b', name);
    add('login/c', 'c1');
    expect(await order()).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2', 'a4']);
  });

  it('lets logins and other tasks take turns, however many clients send other tasks', async () => {
    for (const client of ['a', 'b', 'c', 'd']) add(`other/${client}`, client);
    add('login/e', 'login 1');
    add('login/e', 'login 2');
    expect(await order()).toEqual(['a', 'b', 'login 1', 'c', 'login 2', 'd']);
  });

  it('lets networks take turns, however many networks are within one of them', async () => {
    for (const inner of ['a', 'b', 'c', 'd']) add(`login/outer/${inner}`, inner);
    add('login/outer/d', 'd2');
    add('login/elsewhere/e', 'e1');
    add('login/elsewhere/f', 'f1');
    expect(await order()).toEqual(['a', 'b', 'e1', 'c', 'f1', 'd', 'd2']);
  });

  it('gives a client whose only task runs the turn after those who have waited', async () => {
    for (const name of ['a1', 'b1', 'a2']) add(`login/${name[0]}`, name);
    expect(await order()).toEqual(['a1', 'b1', 'a2']);
  });

  it('keeps nothing of clients without tasks, of which there are many', async () => {
    queue = new FairQueue(1, 2, () => new Error('full'));
    for (const client of ['a', 'b', 'c', 'd']) add(`login/${client}`, client);
    await order();
    expect(rejected).toEqual(['d']);
    expect(queue['tasks']).toEqual(new FairQueue(1, 2, () => new Error('full'))['tasks']);
  });

  it('does not take the turn of a client that adds more tasks', async () => {
    add('login/x', 'x1');
    for (const [client, name] of ['b1', 'a1', 'b2'].map((task) => [task[0], task] as const))
      add(`login/${client}`, name);
    expect(await order()).toEqual(['x1', 'b1', 'a1', 'b2']);
  });

  it('runs as many tasks at once as it may', async () => {
    queue = new FairQueue(2, CAPACITY, () => new Error('full'));
    for (const name of ['a1', 'a2', 'a3']) add('login/a', name);
    await settle();
    expect(started).toEqual(['a1', 'a2']);
  });

  it('leaves places for other names than the one whose tasks have their share', async () => {
    queue = new FairQueue(4, CAPACITY, () => new Error('full'), [3, 2]);
    for (const name of ['a1', 'a2', 'a3']) add('net/a', name);
    for (const name of ['b1', 'b2']) add('net/b', name);
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    add('other/c', 'c1');
    await settle();
    expect(started).toEqual(['a1', 'a2', 'b1', 'c1']);
    // The last one that started ends, and only then the others have places again.
    complete();
    await settle();
    expect(started).toHaveLength(4);
    add('other/c', 'c2');
    await settle();
    expect(started.at(-1)).toBe('c2');
  });

  it('keeps the share of a name of which some tasks have ended', async () => {
    queue = new FairQueue(4, CAPACITY, () => new Error('full'), [2]);
    const ends: (() => void)[] = [];
    const run = () => void queue.run(['a'], () => new Promise<void>((resolve) => ends.push(resolve)));
    run();
    run();
    await settle();
    ends[0]!();
    await settle();
    run();
    run();
    await settle();
    expect([queue.runningCount, queue.waitingCount]).toEqual([2, 1]);
  });

  it('starts a task that waited for the share of its name when another one of the name ends', async () => {
    queue = new FairQueue(4, CAPACITY, () => new Error('full'), [1]);
    for (const name of ['a1', 'a2', 'a3']) add('a', name);
    expect(await order()).toEqual(['a1', 'a2', 'a3']);
    expect([queue.runningCount, queue.waitingCount]).toEqual([0, 0]);
  });

  describe('with a longest wait', () => {
    const LONGEST_WAIT_MS = 5_000;
    /** The timers of the queue that are neither cleared nor due; others of this process are none of it. */
    let timers: Set<unknown>;

    beforeEach(() => {
      fakeTimers('setTimeout', 'clearTimeout');
      timers = new Set();
      const { setTimeout: set, clearTimeout: clear } = globalThis;
      jest.spyOn(globalThis, 'setTimeout').mockImplementation(((work: () => void, ms: number) => {
        const timer = set(() => {
          timers.delete(timer);
          work();
        }, ms);
        if (ms === LONGEST_WAIT_MS) timers.add(timer);
        return timer;
      }) as typeof setTimeout);
      jest.spyOn(globalThis, 'clearTimeout').mockImplementation((timer) => {
        timers.delete(timer);
        clear(timer);
      });
      queue = new FairQueue(2, 3, () => new Error('full'), [1], LONGEST_WAIT_MS);
    });
    afterEach(() => {
      jest.restoreAllMocks();
      jest.useRealTimers();
    });

    it('rejects what has waited that long, and starts the others', async () => {
      for (const name of ['a1', 'a2']) add('a', name);
      jest.advanceTimersByTime(4_999);
      add('a', 'a3');
      await settle();
      expect(rejected).toEqual([]);
      jest.advanceTimersByTime(1);
      await settle();
      expect([rejected, queue.waitingCount]).toEqual([['a2'], 1]);
      expect(await order()).toEqual(['a1', 'a3']);
      expect(timers.size).toBe(0);
    });

    it('rejects also what waits in the place of a task that lost it', async () => {
      add('a', 'a1');
      add('b', 'b1');
      for (const name of ['a2', 'a3', 'a4']) add('a', name);
      add('b', 'b2');
      await settle();
      expect(rejected).toEqual(['a4']);
      jest.advanceTimersByTime(5_000);
      await settle();
      expect(rejected).toEqual(['a4', 'a2', 'a3', 'b2']);
      expect([queue.waitingCount, timers.size]).toEqual([0, 0]);
    });
  });

  it('starts the next task after one that failed', async () => {
    const failing = queue.run(['login', 'a'], () => Promise.reject(new Error('failed')));
    add('login/a', 'a2');
    await expect(failing).rejects.toThrow('failed');
    expect(await order()).toEqual(['a2']);
  });

  describe('when it is full', () => {
    const fill = (path: (index: number) => string) => {
      for (let index = 0; index <= CAPACITY; index += 1) add(path(index), `a${index}`);
    };

    it('rejects further tasks of the client that has filled it', async () => {
      fill(() => 'other/a');
      add('other/a', 'one more');
      add('login/b', 'b1');
      add('login/b', 'b2');
      await settle();
      expect(rejected).toEqual(['one more', `a${CAPACITY}`, `a${CAPACITY - 1}`]);
      expect((await order()).slice(0, 5)).toEqual(['a0', 'a1', 'b1', 'a2', 'b2']);
    });

    it('rejects tasks of the network that has filled it from many networks within', async () => {
      fill((index) => `login/outer/${index}`);
      add('login/elsewhere/b', 'b1');
      add('login/elsewhere/b', 'b2');
      await settle();
      expect(rejected).toHaveLength(2);
      expect(rejected.filter((name) => name.startsWith('b'))).toEqual([]);
      expect((await order()).slice(0, 4)).toEqual(['a0', 'a1', 'b1', 'a2']);
    });

    it.each([
      [
        'the client of the task that arrives, if none has more',
        'net/a',
        ['a', 'a', 'b', 'b', 'b', 'c'],
        'a3',
      ],
      ['the last client in turn, if another network has filled it', 'other/a', ['a', 'a', 'b', 'b'], 'b2'],
    ])('rejects the newest task of %s', async (_, path, clients, loser) => {
      queue = new FairQueue(1, clients.length, () => new Error('full'));
      add('net/x', 'x');
      clients.forEach((client, index) =>
        add(`net/${client}`, `${client}${index - clients.indexOf(client) + 1}`),
      );
      add(path, path === 'net/a' ? 'a3' : 'o1');
      await settle();
      expect(rejected).toEqual([loser]);
    });

    it('rejects the task that arrives when no client has more tasks than another', async () => {
      for (let client = 0; client <= CAPACITY; client += 1) add(`other/${client}`, `${client}`);
      add('other/late', 'late');
      await settle();
      expect(rejected).toEqual(['late']);
      expect(await order()).toHaveLength(CAPACITY + 1);
    });
  });
});
