import { Database } from '../../../src/platform/database/database';
import { HealthController, ShutdownState } from '../../../src/platform/http/health.controller';
import { PeriodicTasks } from '../../../src/platform/jobs/periodic-tasks';
import { fakeTimers } from '../../support/fake-timers';

describe('Readiness', () => {
  let queries: number;
  let ping: () => Promise<void>;
  let tasks: { areFailing: boolean };
  let health: HealthController;

  beforeEach(() => {
    fakeTimers('setTimeout', 'clearTimeout', 'Date', 'performance');
    queries = 0;
    ping = async () => undefined;
    tasks = { areFailing: false };
    const database = { ping: () => ((queries += 1), ping()) } as unknown as Database;
    health = new HealthController(database, new ShutdownState(), tasks as PeriodicTasks);
  });
  afterEach(() => jest.useRealTimers());

  const probeAll = () => Promise.allSettled(Array.from({ length: 100 }, () => health.ready()));
  const outcomesOf = async () => new Set((await probeAll()).map(({ status }) => status));

  it('queries the database once a second, however many probes there are', async () => {
    for (let second = 1; second <= 3; second += 1) {
      expect(await outcomesOf()).toEqual(new Set(['fulfilled']));
      jest.advanceTimersByTime(999);
      expect(await outcomesOf()).toEqual(new Set(['fulfilled']));
      expect(queries).toBe(second);
      jest.advanceTimersByTime(1);
    }
  });

  it('reports a failure to all probes, and its end in the next second', async () => {
    ping = () => Promise.reject(new Error('The database is down.'));
    expect(await outcomesOf()).toEqual(new Set(['rejected']));
    expect(queries).toBe(1);
    ping = async () => undefined;
    jest.advanceTimersByTime(1000);
    expect(await outcomesOf()).toEqual(new Set(['fulfilled']));
  });

  it('stays ready while background work fails, and says so', async () => {
    tasks.areFailing = true;
    expect(await health.ready()).toEqual({ status: 'degraded' });
    tasks.areFailing = false;
    expect(await health.ready()).toEqual({ status: 'ok' });
  });
});
