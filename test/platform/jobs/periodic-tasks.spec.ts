import { Pool } from 'pg';
import { setTimeout as delay } from 'node:timers/promises';
import { SECOND_MS } from '../../../src/kernel/clock';
import { DomainError } from '../../../src/kernel/domain-error';
import { WakeUps } from '../../../src/platform/database/wake-ups';
import { PeriodicTask, PeriodicTasks } from '../../../src/platform/jobs/periodic-tasks';
import { Log } from '../../../src/platform/telemetry/log';
import { TestClock } from '../../support/clock';

let runs: string[];
let logged: string[];
let clock: TestClock;
let periodicTasks: PeriodicTasks;

beforeEach(() => {
  runs = [];
  logged = [];
  clock = new TestClock();
  periodicTasks = new PeriodicTasks(
    clock,
    new Log('info', { write: (line: string) => void logged.push(line) }),
  );
});

/** A task with a number of batches, which records each. */
function work(name: string, batches: number): { name: string; run(now: Date): Promise<boolean> } {
  let left = batches;
  return {
    name,
    run: async () => {
      runs.push(name);
      left -= 1;
      return left > 0;
    },
  };
}

describe('runDue', () => {
  it('runs one task after the other, each until nothing more is due, and then again', async () => {
    periodicTasks.register(work('first', 3));
    periodicTasks.register(work('second', 1));
    await periodicTasks.runDue();
    expect(runs).toEqual(['first', 'first', 'first', 'second', 'first', 'second']);
  });

  it('passes the time of the clock to every batch', async () => {
    const seen: Date[] = [];
    const run = async (now: Date): Promise<boolean> => {
      seen.push(now);
      clock.move({ days: 1 });
      return seen.length < 2;
    };
    periodicTasks.register({ name: 'days', run });
    await periodicTasks.runDue();
    expect(seen[1]!.getTime() - seen[0]!.getTime()).toBeGreaterThanOrEqual(24 * 3600 * SECOND_MS);
  });

  it('logs a failing task without its message, runs the others, throws the error, and repeats the next time', async () => {
    const failing = jest.fn(async () => {
      throw new Error('secret of a customer');
    });
    periodicTasks.register({ name: 'failing work', run: failing });
    periodicTasks.register(work('other', 1));
    await expect(periodicTasks.runDue()).rejects.toThrow('secret of a customer');
    await expect(periodicTasks.runDue()).rejects.toThrow('secret of a customer');
    expect(failing).toHaveBeenCalledTimes(2);
    expect(new Set(runs)).toEqual(new Set(['other']));
    expect(logged).toHaveLength(2);
    expect(JSON.parse(logged[0]!)).toMatchObject({ msg: 'The periodic task "failing work" failed' });
    expect(logged[0]).not.toContain('secret');
  });

  it('throws the errors of items, and not the decisions of hooks', async () => {
    const errors = new Map<string, Error>();
    const due = ['1', '2'].map((id) => ({ accountId: 'a', id }));
    const process = async (_: string, [id]: readonly string[]): Promise<void> => {
      if (errors.has(id!)) throw errors.get(id!)!;
    };
    const findDue = async (_now: Date, excluded: readonly string[]) =>
      due.filter(({ id }) => errors.has(id) && !excluded.includes(id));
    periodicTasks.register({ name: 'items', batchSize: 1, findDue, process });
    errors.set('1', new DomainError('conflict', 'A hook objects.'));
    await periodicTasks.runDue();
    errors.set('2', new Error('wrong SQL'));
    await expect(periodicTasks.runDue()).rejects.toThrow('wrong SQL');
    errors.delete('2');
    await periodicTasks.runDue();
  });
});

describe('runUntil', () => {
  afterEach(() => periodicTasks.stop());

  /** Records the time at which each item is processed, in seconds. Items may create others. */
  function items(name: string, times: Record<string, number>, onDone = (_id: string): void => undefined) {
    const start = clock.now();
    const seconds = (time: Date): number => Math.floor((time.getTime() - start.getTime()) / SECOND_MS);
    const dueAt = (id: string): Date => new Date(start.getTime() + times[id]! * SECOND_MS);
    periodicTasks.register({
      name,
      batchSize: 10,
      findDue: async (now) =>
        Object.keys(times)
          .filter((id) => dueAt(id) <= now)
          .toSorted((one, other) => times[one]! - times[other]!)
          .map((id) => ({ accountId: 'a', id, dueAt: dueAt(id) })),
      process: async (_, ids) => {
        for (const id of ids) {
          delete times[id];
          runs.push(`${id} at ${seconds(clock.now())}`);
          onDone(id);
        }
      },
    });
    return times;
  }
  const pass = (seconds: number): Promise<void> =>
    periodicTasks.runUntil(
      () => new Date(clock.now().getTime() + seconds * SECOND_MS),
      (time) => clock.move({ seconds: (time.getTime() - clock.now().getTime()) / SECOND_MS }),
    );

  it('processes what becomes due in its order and at its time, whatever the order of the tasks', async () => {
    items('expiry', { expires: 300, 'expires later': 100_000 });
    items('settlement', { settles: 60, 'settles last': 301 });
    await pass(3_600);
    expect(runs).toEqual(['settles at 60', 'expires at 300', 'settles last at 301']);
  });

  it('processes what becomes due because of what was processed', async () => {
    const settlements = items('settlement', {});
    items('billing', { bill: 10, 'bill again': 200 }, () => (settlements['settle'] = 50));
    await pass(100);
    expect(runs).toEqual(['bill at 10', 'settle at 50']);
  });

  it('moves by one step after the other when several are asked for at once', async () => {
    const start = clock.now().getTime();
    await Promise.all([pass(60), pass(60)]);
    expect(Math.round((clock.now().getTime() - start) / SECOND_MS)).toBe(120);
  });

  it('keeps the loops from running meanwhile, also while one step follows another', async () => {
    let isMoving = false;
    const seen: boolean[] = [];
    periodicTasks.register({ name: 'loop', intervalMs: 1, run: async () => !seen.push(isMoving) });
    periodicTasks.register({ name: 'slow', intervalMs: 60_000, run: async () => delay(5, false) });
    periodicTasks.start();
    await delay(20);
    const steps = Promise.all([pass(60), pass(60), pass(60)]);
    isMoving = true;
    await steps;
    isMoving = false;
    // Two passes before and two after each of the steps.
    expect(seen.filter(Boolean)).toHaveLength(12);
    const before = seen.length;
    await delay(20);
    expect(seen.length).toBeGreaterThan(before);
  });
});

describe('start', () => {
  beforeEach(() => jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => jest.useRealTimers());

  it('runs each task at once, then with a second between runs, until stop', async () => {
    periodicTasks.register(work('work', 1));
    periodicTasks.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(runs).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(3 * SECOND_MS);
    expect(runs).toHaveLength(4);
    await periodicTasks.stop();
    await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
    expect(runs).toHaveLength(4);
  });

  it('runs each task on its own interval', async () => {
    periodicTasks.register(work('every second', 1));
    periodicTasks.register({ ...work('every minute', 1), intervalMs: 60 * SECOND_MS });
    periodicTasks.start();
    await jest.advanceTimersByTimeAsync(59.5 * SECOND_MS);
    expect(runs.filter((name) => name === 'every second')).toHaveLength(60);
    expect(runs.filter((name) => name === 'every minute')).toHaveLength(1);
    await periodicTasks.stop();
  });

  it('never lets a slow task delay another, and starts no second run of it', async () => {
    let finish = (): void => undefined;
    const slow = jest.fn(() => new Promise<boolean>((resolve) => (finish = () => resolve(false))));
    periodicTasks.register({ name: 'slow', run: slow });
    periodicTasks.register(work('fast', 1));
    periodicTasks.start();
    await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
    expect(slow).toHaveBeenCalledTimes(1);
    expect(runs).toHaveLength(11);
    finish();
    await periodicTasks.stop();
  });

  it('doubles the pause after each consecutive failure, and resets it after a success', async () => {
    let fails = true;
    const run = jest.fn(async () => {
      if (fails) throw new Error('down');
      return false;
    });
    periodicTasks.register({ name: 'failing', run });
    periodicTasks.start();
    await jest.advanceTimersByTimeAsync((2 + 4 + 8) * SECOND_MS);
    expect(run).toHaveBeenCalledTimes(4);
    fails = false;
    await jest.advanceTimersByTimeAsync(16 * SECOND_MS);
    expect(run).toHaveBeenCalledTimes(5);
    await jest.advanceTimersByTimeAsync(2 * SECOND_MS);
    expect(run).toHaveBeenCalledTimes(7);
    await periodicTasks.stop();
  });
});

describe('A task that is woken', () => {
  let wakeUps: WakeUps;
  let due: Date[];
  let looks: number;

  const start = (more: Partial<PeriodicTask> = {}): void => {
    const run = async (now: Date): Promise<boolean> => {
      runs.push('run');
      due = due.filter((time) => time > now);
      return false;
    };
    const nextRun = async (_now: Date, until: Date): Promise<Date | null> => {
      looks += 1;
      return due.find((time) => time <= until) ?? null;
    };
    periodicTasks.register({ name: 'woken', wokenBy: ['jars'], run, nextRun, ...more });
    periodicTasks.start();
  };
  const pass = (ms: number): Promise<void> => jest.advanceTimersByTimeAsync(ms);
  const inSeconds = (seconds: number): Date => new Date(Date.now() + seconds * SECOND_MS);

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] });
    [due, looks] = [[], 0];
    const pool = { query: async () => ({ rows: [{ count: '1' }] }) } as unknown as Pool;
    wakeUps = new WakeUps(pool);
    jest.spyOn(wakeUps, 'watch').mockResolvedValue();
    const log = new Log('silent', { write: () => undefined });
    periodicTasks = new PeriodicTasks({ now: () => new Date() }, log, undefined, undefined, wakeUps);
  });
  afterEach(async () => {
    await periodicTasks.stop();
    jest.useRealTimers();
  });

  it('looks once in 15 seconds for what is due while nothing is written, and does not run', async () => {
    start();
    await pass(60 * SECOND_MS - 1);
    expect([looks, runs]).toEqual([4, []]);
  });

  it('runs when the next row becomes due', async () => {
    due = [inSeconds(7.3), inSeconds(9)];
    start();
    await pass(7_299);
    expect(runs).toHaveLength(0);
    await pass(1);
    expect(runs).toHaveLength(1);
    await pass(1_700);
    expect(runs).toHaveLength(2);
  });

  it('runs at once when a row of its tables is written, and when that becomes due', async () => {
    start();
    await pass(5 * SECOND_MS);
    due = [inSeconds(0), inSeconds(3)];
    wakeUps.wrote(new Set(['lids']));
    await pass(0);
    expect(runs).toHaveLength(0);
    wakeUps.wrote(new Set(['jars']));
    await pass(0);
    expect(runs).toHaveLength(1);
    await pass(3 * SECOND_MS);
    expect(runs).toHaveLength(2);
  });

  it('looks at most once in its interval, however much is written', async () => {
    start();
    for (let times = 0; times < 29; times += 1) {
      wakeUps.wrote(new Set(['jars']));
      await pass(100);
    }
    expect(looks).toBe(3);
  });

  it('runs at each interval while something stays due', async () => {
    due = [inSeconds(0)];
    start({ run: async () => Boolean(runs.push('run')) && false });
    await pass(2.5 * SECOND_MS);
    expect(runs).toHaveLength(3);
  });

  it('that cannot tell when it has work runs after each write, and once in 15 seconds', async () => {
    start({ nextRun: undefined });
    await pass(14 * SECOND_MS);
    expect(runs).toHaveLength(1);
    wakeUps.wrote(new Set(['jars']));
    await pass(0);
    expect(runs).toHaveLength(2);
    await pass(15 * SECOND_MS);
    expect(runs).toHaveLength(3);
  });

  it('fails when it cannot look, and then waits longer, also if it is woken', async () => {
    const fail = jest.fn(() => Promise.reject(new Error('down')));
    start({ nextRun: fail });
    await pass(0);
    expect(periodicTasks.areFailing).toBe(true);
    wakeUps.wrote(new Set(['jars']));
    await pass(1_999);
    expect(fail).toHaveBeenCalledTimes(1);
    fail.mockResolvedValue(null as never);
    await pass(1);
    expect(periodicTasks.areFailing).toBe(false);
  });
});

describe('stop', () => {
  it.each(['start', 'runDue'] as const)(
    'waits for the batch that %s has begun, and starts no other',
    async (begin) => {
      let finish = (): void => undefined;
      const run = jest.fn(() => new Promise<boolean>((resolve) => (finish = () => resolve(true))));
      periodicTasks.register({ name: 'batches', run });
      const begun = periodicTasks[begin]();
      await delay(0);
      let stopped = false;
      const stopping = periodicTasks.stop().then(() => (stopped = true));
      await delay(50);
      expect(stopped).toBe(false);
      finish();
      await Promise.all([begun, stopping]);
      expect(run).toHaveBeenCalledTimes(1);
    },
  );
});
