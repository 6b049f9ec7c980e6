import { FairQueue } from '../../../src/kernel/fair-queue';
import { queueByKey } from '../../../src/platform/database/waiting';
import { fakeTimers } from '../../support/fake-timers';

describe('A queue of two tasks with one key', () => {
  let limit: FairQueue;
  let started: string[];
  let finish: (() => void)[];

  const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

  beforeEach(() => {
    limit = queueByKey(2);
    started = [];
    finish = [];
  });
  afterEach(async () => {
    jest.useRealTimers();
    while (finish.length > 0) {
      finish.splice(0).forEach((end) => end());
      await turn();
    }
  });

  const run = (key: string, name: string): Promise<string> =>
    limit.run([key], async () => {
      started.push(name);
      await new Promise<void>((resolve) => finish.push(resolve));
      return name;
    });

  it('lets others wait in the order of their arrival, and tasks with other keys run', async () => {
    const running = ['a1', 'a2', 'a3', 'a4'].map((name) => run('a', name));
    void run('b', 'b1');
    await turn();
    expect(started).toEqual(['a1', 'a2', 'b1']);
    finish[0]!();
    expect(await running[0]).toBe('a1');
    await turn();
    expect(started).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('runs the next task after one that failed', async () => {
    const failing = limit.run(['a'], () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    void run('a', 'a1');
    void run('a', 'a2');
    await turn();
    expect(started).toEqual(['a1', 'a2']);
  });

  it('rejects a task that waits for more than 5 seconds, and those behind it move up', async () => {
    fakeTimers('setTimeout', 'clearTimeout');
    ['a1', 'a2'].forEach((name) => void run('a', name));
    const waiting = run('a', 'a3');
    const rejected = expect(waiting).rejects.toMatchObject({ code: 'unavailable', retryAfterSeconds: 1 });
    jest.advanceTimersByTime(5_001);
    await rejected;
    void run('a', 'a4');
    finish[0]!();
    await turn();
    expect(started).toEqual(['a1', 'a2', 'a4']);
  });

  it('rejects a task at once when 1,000 tasks wait', async () => {
    for (let task = 1; task <= 1_002; task += 1) void run('a', `a${task}`).catch(() => undefined);
    await expect(run('a', 'one more')).rejects.toMatchObject({ code: 'unavailable' });
  });
});
