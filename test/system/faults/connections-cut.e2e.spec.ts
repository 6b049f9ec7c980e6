import fc from 'fast-check';
import { core } from '../../support/core';
import { Log } from '../../../src/platform/telemetry/log';
import { RunningService } from '../../../src/service/application';
import { draw, SEED } from '../../support/rounds';
import { startTestService, TestService } from '../../support/service';
import { CommitProxy, Cut } from './support/commit-proxy';
import { LIMIT_MS, wait, report, repetitions } from './support/form';
import { allOnce, History, outcomeOf, Row } from './support/history';
import { Client, Creates, prepareClient, Sender } from './support/load';

/** Connections to the database that are lost while in use. */
jest.setTimeout(LIMIT_MS);

const JWT_SECRETS = 'a secret that two services of a test share';
const PAUSE_MS = 200;

let service: TestService;
let client: Client;

beforeEach(async () => {
  service = await startTestService({ JWT_SECRETS });
  client = await prepareClient(service.url);
});
afterEach(() => service.stop());

const rows = (): Promise<Row[]> =>
  service.sql<Row>('SELECT id, reference FROM transactions WHERE reference IS NOT NULL');

/** Counts accounts whose balance is not the sum of their entries. */
const unbalanced = (): Promise<object[]> =>
  service.sql(`SELECT id FROM accounts WHERE posted <> (SELECT coalesce(sum(amount), 0) FROM journal_entries
    WHERE account_id = accounts.id AND leg = 'customer')`);

it(`Connections terminated every ${PAUSE_MS} ms: the service keeps running and clients see 503 at worst (seed ${SEED})`, async () => {
  const times = repetitions({ short: 10, long: 300 });
  const history = new History();
  const sender = new Sender(service.url, client, history.add);
  const creates = new Creates(client);
  let running = true;
  const load = sender.sendMany(
    () => (running ? creates.next() : null),
    ({ status }) => status !== null, // the service always responds
  );
  let ended = 0;
  await service.sql('SELECT setseed($1)', [SEED / 2 ** 31]);
  const cut = async (share: number): Promise<void> => {
    await wait(PAUSE_MS);
    const gone = await service.sql(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'countinghouse' AND random() < $1`,
      [share],
    );
    ended += gone.length;
  };
  for (const share of draw(fc.noBias(fc.double({ min: 0.1, max: 1, noNaN: true })), times)) await cut(share);
  while (history.outcomes().unknown === 0) await cut(1); // until a request was in progress
  running = false;
  await load;
  const { unknown } = history.outcomes();
  const broken = history.attempts.filter(({ status }) => status === null).length;
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await rows());
  report('pg_terminate_backend', { seed: SEED, times, connectionsEnded: ended, ...verdict, unknown, broken });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect(broken).toBe(0);
  expect(unknown).toBeGreaterThan(0); // proves that requests were affected
  expect(await unbalanced()).toEqual([]);
});

describe('A connection lost during COMMIT', () => {
  let proxy: CommitProxy;
  let proxied: RunningService;

  beforeEach(async () => {
    proxy = await CommitProxy.before(service.databaseUrl);
    const settings = { NODE_ENV: 'test', PORT: '0', BCRYPT_COST: '4', RUN_WORKER: 'false', JWT_SECRETS };
    proxied = await core.start(
      { ...settings, DATABASE_URL: proxy.url },
      { clock: service.clock, log: new Log('silent') },
    );
  });
  afterEach(async () => {
    await proxied.stop();
    await proxy.close();
  });

  /** Whether the row must exist right after each cut; undefined means either. */
  const stored: Record<Cut, boolean | undefined> = {
    'before the commit': false,
    'with the commit': undefined,
    'before the response': true,
  };

  it.each(Object.keys(stored) as Cut[])(`%s: a repeat returns the result (seed ${SEED})`, async (cut) => {
    const history = new History();
    const sender = new Sender(proxied.url, client, history.add);
    const creates = new Creates(client);
    const count = repetitions({ short: 20, long: 400 });
    let happened = 0;
    for (let round = 0; round < count; round += 1) {
      const create = creates.next();
      proxy.cutNextCommit(cut);
      const first = await sender.send(create);
      expect({ status: first.status, outcome: outcomeOf(first) }).toEqual({
        status: 503,
        outcome: 'unknown',
      });
      const [before] = await service.sql<Row>('SELECT id FROM transactions WHERE reference = $1', [
        create.key,
      ]);
      if (before) happened += 1;
      if (stored[cut] !== undefined) expect(before !== undefined).toBe(stored[cut]);
      const second = await sender.send(create);
      expect(outcomeOf(second)).toBe('acknowledged');
      if (before) expect(JSON.parse(second.text)).toMatchObject({ id: before.id });
    }
    sender.close();
    const verdict = history.judge(await rows());
    report(`cut ${cut}`, { seed: SEED, cuts: proxy.cuts, hadHappened: happened, ...verdict });
    expect(proxy.cuts).toBe(count);
    expect(verdict).toEqual(allOnce(count));
    expect(await unbalanced()).toEqual([]);
  });

  it.each(Object.keys(stored) as Cut[])(
    `%s: repeats of concurrent creations on one account return their results (seed ${SEED})`,
    async (cut) => {
      const history = new History();
      const hot = await prepareClient(service.url, 1);
      const sender = new Sender(proxied.url, hot, history.add);
      const creates = new Creates(hot);
      const count = repetitions({ short: 5, long: 100 });
      for (let round = 0; round < count; round += 1) {
        // The others arrive while the first is in flight, so they share the commit that is cut.
        const others = Array.from({ length: 8 }, () => creates.next());
        const first = sender.send(creates.next());
        const rest = others.map((create) => sender.send(create));
        await Promise.race([first, ...rest]);
        proxy.cutNextCommit(cut);
        await Promise.all([first, ...rest, sender.send(creates.next())]);
      }
      await sender.retryAll(creates.given);
      sender.close();
      const { unknown } = history.outcomes();
      report(`cut ${cut}, one account`, { seed: SEED, cuts: proxy.cuts, unknown });
      expect(proxy.cuts).toBe(count);
      expect(unknown).toBeGreaterThanOrEqual(count);
      expect(history.judge(await rows())).toEqual(allOnce(creates.given.length));
      expect(await unbalanced()).toEqual([]);
    },
  );
});
