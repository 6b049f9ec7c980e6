import fc from 'fast-check';
import { execFileSync } from 'node:child_process';
import { draw, SEED } from '../../support/rounds';
import { LIMIT_MS, randomDelays, wait, report, summaryOf, repetitions, until } from './support/form';
import { allOnce, Attempt, History, outcomeOf } from './support/history';
import { Creates, prepareClient, Sender } from './support/load';
import { Installation } from './support/service-process';

/** The database is killed or suspended while the service keeps running. */
jest.setTimeout(LIMIT_MS);

const SERVING_MS = 300;
/** The restart delay grows when a server is killed repeatedly, so each service experiences only a few kills. */
const KILLS_PER_SERVICE = 3;
/** The number of consecutive successes after which the database counts as recovered. */
const ACKNOWLEDGED_AGAIN = 50;

/** Requests with a connection fail after 20 s without a response of the server. */
const LONGEST_ANSWER_SECONDS = 25;
/** The readiness check has a shorter timeout. */
const READINESS_MS = 2000;

const victims = ['the server', 'one of its backends'] as const;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it(`A killed database process loses no acknowledged creation, and the service recovers (seed ${SEED})`, async () => {
  const kills = repetitions({ short: 2, long: 60 });
  const victimOf = draw(fc.constantFrom(...victims), kills);
  const when = randomDelays(SERVING_MS, kills);
  const history = new History();
  const recoverySeconds: Record<(typeof victims)[number], number[]> = {
    'the server': [],
    'one of its backends': [],
  };
  let service = installation.start();
  const client = await prepareClient(await service.url);
  const creates = new Creates(client, { transfers: true });
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
    await wait(when[kill]!);
    await killProcess(victimOf[kill]!);
    outage.beganAtMs = performance.now();
    await load;
    sender.close();
    if (!outage.isOver) throw new Error(`The service does not respond: ${service.output()}`);
    recoverySeconds[victimOf[kill]!].push(outage.seconds);
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
          ...(recoverySeconds[victim].length && summaryOf(recoverySeconds[victim])),
        },
      ]),
    ),
    journal,
  });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect({ code, journal }).toEqual({ code: 0, journal: expect.stringContaining('no faults found') });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** Measures the time from the kill until creations succeed consistently. */
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

/** Kills the server, or the backend process of one of the service's connections. */
function killProcess(victim: (typeof victims)[number]): Promise<true> {
  return until('a server process is found', async () => {
    const pid = victim === 'the server' ? installation.serverPid() : await findBackend();
    try {
      return pid !== null && process.kill(pid, 'SIGKILL');
    } catch {
      return null; // it exited because of the previous kill
    }
  });
}

async function findBackend(): Promise<number | null> {
  const [backend] = await installation.sql<{ pid: number }>(
    `SELECT pid FROM pg_stat_activity WHERE application_name = 'countinghouse' ORDER BY state LIMIT 1`,
  );
  return backend?.pid ?? null;
}

it('A suspended database delays responses up to a bound; nothing is lost or duplicated after it resumes', async () => {
  const stillMs = repetitions({ short: 1, long: 30 }) * 1000;
  const service = installation.start();
  const url = await service.url;
  const history = new History();
  const client = await prepareClient(url, 1);
  const creates = new Creates(client);
  const sender = new Sender(url, client, history.add);
  const processes = [installation.serverPid(), ...childrenOf(installation.serverPid())];
  const signal = (name: NodeJS.Signals): void => processes.forEach((pid) => process.kill(pid, name));
  signal('SIGSTOP');
  const resumedAt = performance.now() + stillMs;
  const load = sender.sendMany(
    () => (performance.now() < resumedAt ? creates.next() : null),
    () => true,
  );
  const [readiness] = await Promise.all([fetch(`${url}/health/ready`), wait(stillMs)]);
  signal('SIGCONT');
  await load;
  await until('it is ready', () => fetch(`${url}/health/ready`).then(({ status }) => status === 200));
  const readySeconds = (performance.now() - resumedAt) / 1000;
  const outcomes = history.outcomes();
  const waits = history.attempts.map(({ sentAtMs, endedAtMs }) => (endedAtMs - sentAtMs) / 1000);
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  report('PostgreSQL suspended', {
    seconds: stillMs / 1000,
    outcomes,
    responses: summaryOf(waits),
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
