import { Pool } from 'pg';
import { DueItems } from '../../../src/platform/jobs/due-items';
import { TaskLocks } from '../../../src/platform/jobs/task-locks';
import { Log } from '../../../src/platform/telemetry/log';
import { startTestDatabase, TestDatabase } from '../../support/database';

let database: TestDatabase;
let otherPool: Pool;
let here: TaskLocks;
let there: TaskLocks;

beforeAll(async () => {
  database = await startTestDatabase();
});
beforeEach(() => {
  otherPool = new Pool({ ...database.pool.options, max: 10 });
  otherPool.on('error', () => undefined);
  here = new TaskLocks(database.pool);
  there = new TaskLocks(otherPool);
});
afterEach(() => otherPool.end());
afterAll(() => database.stop());

const done = async (): Promise<string> => 'done';

describe('A task lock', () => {
  it('keeps other replicas from a task while it runs, and not from other tasks', async () => {
    const seen = await here.run('settle', () =>
      Promise.all([there.run('settle', done), there.run('expire', done)]),
    );
    expect(seen).toEqual([undefined, 'done']);
    expect(await there.run('settle', done)).toBe('done');
  });

  it('ends when the work fails, with its error', async () => {
    const failing = here.run('settle', () => Promise.reject(new Error('failed')));
    await expect(failing).rejects.toThrow('failed');
    expect(await there.run('settle', done)).toBe('done');
  });

  it('ends with its connection, and lets the work finish', async () => {
    const cut = `SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                 WHERE datname = current_database() AND state = 'idle in transaction'`;
    const outcome = await there.run('settle', async () => {
      await database.pool.query(cut);
      return here.run('settle', done);
    });
    expect(outcome).toBe('done');
    expect(await there.run('settle', done)).toBe('done');
  });

  it('leaves half of the pool to the work', async () => {
    const running = new TaskLocks(new Pool({ ...otherPool.options, max: 1 }));
    expect(await here.run('settle', () => running.run('settle', done))).toBe('done');
    const nested = (left: number): Promise<number | undefined> =>
      here.run(String(left), () => (left === 0 ? inUse() : nested(left - 1)));
    expect(await nested(7)).toBe(5);
  });

  async function inUse(): Promise<number> {
    return database.pool.totalCount - database.pool.idleCount;
  }
});

describe('Due items', () => {
  const log = new Log('silent', { write: () => undefined });
  const task = (batchSize: number, process: () => Promise<void>) => {
    const due = [{ accountId: 'a', id: '1' }];
    return { name: 'settle', batchSize, findDue: async () => due, process };
  };
  const run = (batchSize: number, locks: TaskLocks, process: () => Promise<void>) =>
    new DueItems(task(batchSize, process), log, locks).run(new Date(), new AbortController().signal);

  it.each([
    [200, 0, 'leaves them to the replica that processes them'],
    [1, 1, 'does not wait for calls of other systems that another replica makes'],
  ])('in batches of %i are processed %i times elsewhere: one replica %s', async (batchSize, times) => {
    let elsewhere = 0;
    const countElsewhere = async (): Promise<void> => void (elsewhere += 1);
    const process = async (): Promise<void> => void (await run(batchSize, there, countElsewhere));
    await run(batchSize, here, process);
    expect(elsewhere).toBe(times);
  });

  it.each([
    [0, 0],
    [1, 1],
  ])('take a lock only if something is due: %i due, %i locks', async (count, expected) => {
    const locks = jest.spyOn(here, 'run');
    const items = Array.from({ length: count }, () => ({ accountId: 'a', id: '1' }));
    const found = { ...task(200, async () => undefined), findDue: async () => items };
    await new DueItems(found, log, here).run(new Date(), new AbortController().signal);
    expect(locks).toHaveBeenCalledTimes(expected);
  });
});
