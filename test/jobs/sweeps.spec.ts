import { SECOND_MS } from '../../src/kernel/clock';
import { Sweeps } from '../../src/platform/jobs/sweeps';
import { Log } from '../../src/platform/telemetry/log';
import { TestClock } from '../support/clock';

let story: string[];
let logged: string[];
let clock: TestClock;
let sweeps: Sweeps;

beforeEach(() => {
  story = [];
  logged = [];
  clock = new TestClock();
  sweeps = new Sweeps(clock, new Log('info', { write: (line: string) => void logged.push(line) }));
});

/** Work that takes some pieces, and tells of each. */
function work(name: string, pieces: number): { name: string; run(now: Date): Promise<boolean> } {
  let left = pieces;
  return {
    name,
    run: async () => {
      story.push(name);
      left -= 1;
      return left > 0;
    },
  };
}

describe('a sweep', () => {
  it('does one after the other, each until nothing more is due', async () => {
    sweeps.join(work('first', 3));
    sweeps.join(work('second', 1));
    await sweeps.sweepAll();
    expect(story).toEqual(['first', 'first', 'first', 'second']);
  });

  it('goes by the clock, piece by piece', async () => {
    const seen: Date[] = [];
    const run = async (now: Date): Promise<boolean> => {
      seen.push(now);
      clock.move({ days: 1 });
      return seen.length < 2;
    };
    sweeps.join({ name: 'days', run });
    await sweeps.sweepAll();
    expect(seen[1]!.getTime() - seen[0]!.getTime()).toBeGreaterThanOrEqual(24 * 3600 * SECOND_MS);
  });

  it('that fails is logged without its message, stops no other, and is tried again in the next round', async () => {
    const failing = jest.fn(async () => {
      throw new Error('secret of a customer');
    });
    sweeps.join({ name: 'failing work', run: failing });
    sweeps.join(work('other', 1));
    await sweeps.sweepAll();
    await sweeps.sweepAll();
    expect(failing).toHaveBeenCalledTimes(2);
    expect(story).toEqual(['other', 'other']);
    expect(logged).toHaveLength(2);
    expect(logged[0]).toContain('The sweep of failing work failed');
    expect(logged[0]).not.toContain('secret');
  });
});

describe('sweeping again and again', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it('begins at once, pauses for a second after each round, and ends when it is stopped', async () => {
    sweeps.join(work('work', 1));
    sweeps.start();
    await jest.advanceTimersByTimeAsync(0);
    expect(story).toHaveLength(1);
    await jest.advanceTimersByTimeAsync(3 * SECOND_MS);
    expect(story).toHaveLength(4);
    await sweeps.stop();
    await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
    expect(story).toHaveLength(4);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has no second round while one takes long', async () => {
    let finish = (): void => undefined;
    sweeps.join({ name: 'slow', run: () => new Promise((resolve) => (finish = () => resolve(false))) });
    sweeps.join(work('after', 1));
    sweeps.start();
    await jest.advanceTimersByTimeAsync(10 * SECOND_MS);
    expect(story).toEqual([]);
    finish();
    await jest.advanceTimersByTimeAsync(0);
    expect(story).toEqual(['after']);
    await sweeps.stop();
  });

  it('lets the piece under way finish when it is stopped, and starts none', async () => {
    let finish = (): void => undefined;
    const run = jest.fn(() => new Promise<boolean>((resolve) => (finish = () => resolve(true))));
    sweeps.join({ name: 'pieces', run });
    sweeps.join(work('after', 1));
    sweeps.start();
    let stopped = false;
    const stopping = sweeps.stop().then(() => (stopped = true));
    await jest.advanceTimersByTimeAsync(SECOND_MS);
    expect(stopped).toBe(false);
    finish();
    await stopping;
    expect(run).toHaveBeenCalledTimes(1);
    expect(story).toEqual([]);
  });
});
