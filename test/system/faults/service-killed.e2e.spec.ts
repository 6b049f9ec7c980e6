import fc from 'fast-check';
import { draw, SEED } from '../../support/rounds';
import { LIMIT_MS, randomDelays, wait, report, summaryOf, repetitions } from './support/form';
import { allOnce, History, outcomeOf } from './support/history';
import { Client, Create, Creates, prepareClient, Sender } from './support/load';
import { Installation, isAlive } from './support/service-process';

/** SIGKILL of the service, which also stops its embedded database, during creations with an Idempotency-Key. */
jest.setTimeout(LIMIT_MS);

/** Within this time, a starting service is between its first output and its first requests. */
const STARTING_MS = 2_000;
const SERVING_MS = 500;

const victims = ['while it serves', 'while it serves, and its watchdog', 'while it starts'] as const;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it(`Killed repeatedly, the service loses and duplicates no creation (seed ${SEED})`, async () => {
  const kills = repetitions({ short: 2, long: 200 });
  const whom = [victims[0], ...draw(fc.constantFrom(victims[0], victims[0], ...victims), kills - 1)];
  const when = randomDelays(1000, kills).map((moment) => moment / 1000);
  const history = new History();
  const restartSeconds: number[] = [];
  const first = installation.start();
  const client = await prepareClient(await first.url);
  await first.signal('SIGKILL');

  const creates = new Creates(client, { transfers: true });
  let again: Create[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const startedAt = performance.now();
    const service = installation.start();
    if (whom[kill] === 'while it starts') {
      await wait(when[kill]! * STARTING_MS);
      await service.signal('SIGKILL');
      continue;
    }
    const sender = new Sender(await service.url, client, history.add);
    restartSeconds.push((performance.now() - startedAt) / 1000);
    await sender.send(creates.next()); // the service accepts requests now
    const load = underLoad(sender, creates, again);
    await wait(when[kill]! * SERVING_MS);
    if (whom[kill] === 'while it serves, and its watchdog')
      process.kill(installation.watchdogPid(), 'SIGKILL');
    await service.signal('SIGKILL');
    again = await load;
    sender.close();
  }

  const service = installation.start();
  const sender = new Sender(await service.url, client, history.add);
  const { unknown } = history.outcomes();
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  const { code, verdict: journal } = await installation.verify();
  report('kill -9 of the service', {
    seed: SEED,
    kills,
    ...verdict,
    unknown,
    restartSeconds: summaryOf(restartSeconds),
    journal,
  });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect({ code, journal }).toEqual({ code: 0, journal: expect.stringContaining('no faults found') });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});

/** Sends new and repeated creations until the service has ended. @returns the creations sent */
async function underLoad(sender: Sender, creates: Creates, again: readonly Create[]): Promise<Create[]> {
  const repeats = again.values();
  const sent: Create[] = [];
  let turn = 0;
  const next = (): Create => {
    turn += 1;
    const repeat = turn % 2 === 0 ? repeats.next().value : undefined;
    const create = repeat ?? creates.next();
    sent.push(create);
    return create;
  };
  await sender.sendMany(next, (last) => last.status !== null);
  return sent;
}

it('A second start with the same data folder is rejected without damage, also during the first start', async () => {
  const history = new History();
  let client: Client | undefined;
  let creates: Creates | undefined;
  const rounds = repetitions({ short: 1, long: 10 });
  for (let round = 0; round < rounds; round += 1) {
    const rivals = [1, 2, 3].map(() => installation.start());
    const outcomes = await Promise.allSettled(rivals.map(({ url }) => url));
    const winner = outcomes.findIndex(({ status }) => status === 'fulfilled');
    for (const [index, outcome] of outcomes.entries()) {
      if (index === winner) continue;
      expect(outcome.status === 'rejected' && String(outcome.reason)).toContain(
        'in use by another Countinghouse',
      );
      expect(await rivals[index]!.ended).toEqual({ code: 1, signal: null });
    }
    const url = await rivals[winner]!.url;
    client ??= await prepareClient(url, 1);
    creates ??= new Creates(client);
    const sender = new Sender(url, client, history.add);
    await expect(installation.start().url).rejects.toThrow('in use by another Countinghouse');
    expect(outcomeOf(await sender.send(creates.next()))).toBe('acknowledged');
    sender.close();
    const server = installation.serverPid();
    if (round < rounds - 1) await rivals[winner]!.signal('SIGKILL');
    else {
      expect(history.judge(await installation.rows())).toEqual(allOnce(creates.given.length));
      expect(await installation.verify()).toMatchObject({ code: 0 });
      expect(await rivals[winner]!.signal('SIGTERM')).toEqual({ code: 0, signal: null });
      expect(isAlive(server)).toBe(false);
    }
  }
  report('three starts at once on one folder', { rounds, winnersPerRound: 1 });
});
