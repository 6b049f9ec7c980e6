import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { draw, SEED } from '../support/rounds';
import { LIMIT_MS, moments, pass, report, spread, tries, until } from './support/form';
import { allOnce, Attempt, History, outcomeOf } from './support/history';
import { Creates, prepareClient, Sender } from './support/load';
import { Installation } from './support/service-process';

/** kill -9 of the database under a service that lives on, and a database that stands still. */
jest.setTimeout(LIMIT_MS);

const SERVING_MS = 300;
/** The launcher waits longer before each restart of a server that does not live long, so a service sees a few. */
const KILLS_PER_SERVICE = 3;
/** So many answers in a row tell that the database is back. */
const ACKNOWLEDGED_AGAIN = 50;

/** Whoever has a connection is told after 20 s that nobody speaks there. */
const LONGEST_ANSWER_SECONDS = 25;
/** Readiness does not wait that long. */
const READINESS_MS = 2000;

const victims = ['the server', 'one of its backends'] as const;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it(`Whatever of the database is killed, nothing acknowledged is lost and it comes back (seed ${SEED})`, async () => {
  const kills = tries({ short: 2, long: 60 });
  const whom = draw(fc.constantFrom(...victims), kills);
  const when = moments(SERVING_MS, kills);
  const history = new History();
  const recoverySeconds: Record<(typeof victims)[number], number[]> = {
    'the server': [],
    'one of its backends': [],
  };
  let service = installation.start();
  const client = await prepareClient(await service.url);
  const creates = new Creates(client);
  for (let kill = 0; kill < kills; kill += 1) {
    if (kill > 0 && kill % KILLS_PER_SERVICE === 0) {
      expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
      service = installation.start();
    }
    const outage = new Outage();
    const record = (attempt: Attempt): void => {
      history.add(attempt);
      outage.watch(attempt);
    };
    const sender = new Sender(await service.url, client, record);
    const load = sender.sendMany(
      () => creates.next(),
      ({ status }) => status !== null && !outage.isOver,
    );
    await pass(when[kill]!);
    await strike(whom[kill]!);
    outage.beganAtMs = performance.now();
    await load;
    sender.close();
    if (!outage.isOver) throw new Error(`The service itself fell silent: ${service.said()}`);
    recoverySeconds[whom[kill]!].push(outage.seconds);
  }

  const sender = new Sender(await service.url, client, history.add);
  const { unknown } = history.outcomes();
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  const { code, verdict: journal } = await installation.verify();
  report('kill -9 of PostgreSQL', {
    seed: SEED,
    kills,
    ...verdict,
    unknown,
    recoverySeconds: Object.fromEntries(
      victims.map((victim) => [
        victim,
        {
          kills: recoverySeconds[victim].length,
          ...(recoverySeconds[victim].length && spread(recoverySeconds[victim])),
        },
      ]),
    ),
    journal,
  });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect({ code, journal }).toEqual({ code: 0, journal: expect.stringContaining('everything adds up') });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** From the kill until creates are acknowledged again, and not only by what had not noticed yet. */
class Outage {
  beganAtMs: number | null = null;
  isOver = false;
  private acknowledgedAgainAtMs: number | null = null;
  private acknowledged = 0;
  private felt = false;

  get seconds(): number {
    return (this.acknowledgedAgainAtMs! - this.beganAtMs!) / 1000;
  }

  watch(attempt: Attempt): void {
    if (this.beganAtMs === null || attempt.endedAtMs < this.beganAtMs) return;
    if (outcomeOf(attempt) !== 'acknowledged') {
      this.felt = true;
      this.acknowledgedAgainAtMs = null;
      this.acknowledged = 0;
    } else if (this.felt) {
      this.acknowledgedAgainAtMs ??= attempt.endedAtMs;
      this.acknowledged += 1;
      this.isOver ||= this.acknowledged >= ACKNOWLEDGED_AGAIN;
    }
  }
}

/** Kills the server, or the process in it that works for a connection of the service. */
function strike(victim: (typeof victims)[number]): Promise<true> {
  return until('there is somebody to kill', async () => {
    const pid = victim === 'the server' ? installation.serverPid() : await someBackend();
    try {
      return pid !== null && process.kill(pid, 'SIGKILL');
    } catch {
      return null; // it went by itself, after the kill before
    }
  });
}

async function someBackend(): Promise<number | null> {
  const [backend] = await installation.sql<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'countinghouse' ORDER BY state LIMIT 1`,
  );
  return backend?.pid ?? null;
}

it('A database that stands still delays answers within a bound; once it goes on nothing is lost or left over', async () => {
  const stillMs = tries({ short: 1, long: 30 }) * 1000;
  const service = installation.start();
  const url = await service.url;
  const history = new History();
  const client = await prepareClient(url, 1);
  const creates = new Creates(client);
  const sender = new Sender(url, client, history.add);
  const processes = [installation.serverPid(), ...childrenOf(installation.serverPid())];
  const signal = (name: NodeJS.Signals): void => processes.forEach((pid) => process.kill(pid, name));
  signal('SIGSTOP');
  const goesOnAt = performance.now() + stillMs;
  const load = sender.sendMany(
    () => (performance.now() < goesOnAt ? creates.next() : null),
    () => true,
  );
  const [readiness] = await Promise.all([fetch(`${url}/health/ready`), pass(stillMs)]);
  signal('SIGCONT');
  await load;
  await until('it is ready', () => fetch(`${url}/health/ready`).then(({ status }) => status === 200));
  const readySeconds = (performance.now() - goesOnAt) / 1000;
  const outcomes = history.outcomes();
  const waits = history.attempts.map(({ sentAtMs, endedAtMs }) => (endedAtMs - sentAtMs) / 1000);
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  report('PostgreSQL stands still', {
    seconds: stillMs / 1000,
    outcomes,
    answers: spread(waits),
    readySeconds,
    ...verdict,
  });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect(Math.max(...waits)).toBeLessThan(LONGEST_ANSWER_SECONDS);
  if (stillMs > 2 * READINESS_MS) expect(readiness.status).toBe(503);
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});

function childrenOf(pid: number): number[] {
  const list = execFileSync('ps', ['-o', 'pid=', '--ppid', String(pid)], { encoding: 'utf8' });
  return list.trim().split(/\s+/).map(Number);
}
