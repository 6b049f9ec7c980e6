import { SEED } from '../../support/rounds';
import { LIMIT_MS, randomDelays, wait, report, summaryOf, repetitions, until } from './support/form';
import { allOnce, History } from './support/history';
import { CONNECTIONS, Creates, prepareClient, Sender } from './support/load';
import { Installation, isAlive } from './support/service-process';

/** SIGTERM during requests: accepted requests are completed, then the database stops, then the process exits. */
jest.setTimeout(LIMIT_MS);

const SERVING_MS = 300;

/** The connections that requests of one caller may use: a third of the pool. The other requests wait for these. */
const SHARE_OF_CALLER = 4;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it('Requests that wait for the database are completed before it stops', async () => {
  const service = installation.start();
  const url = await service.url;
  // One account per request, because requests for the same account would wait without a connection.
  const client = await prepareClient(url, CONNECTIONS);
  const creates = new Creates(client);
  const history = new History();
  const sender = new Sender(url, client, history.add);
  const blocker = await installation.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM accounts FOR UPDATE');
  const waiting = client.accountIds.map((account_id) => {
    const { body, ...create } = creates.next();
    return sender.send({ ...create, body: { ...body, account_id } });
  });
  await until('as many as possible wait for their accounts', async () => {
    const locked = await installation.sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    return locked.length === SHARE_OF_CALLER;
  });
  const server = installation.serverPid();
  const ended = service.signal('SIGTERM');
  await until('it takes no new connections', () =>
    fetch(`${url}/health/live`).then(
      () => false,
      () => true,
    ),
  );
  await blocker.query('ROLLBACK');
  await Promise.all(waiting);
  expect(history.outcomes()).toEqual({ acknowledged: CONNECTIONS, rejected: 0, unknown: 0 });
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(isAlive(server)).toBe(false);
  await blocker.end();
  sender.close();
});

it(`Stopped at random times, the service responds to every accepted request (seed ${SEED})`, async () => {
  const stops = repetitions({ short: 1, long: 30 });
  const when = randomDelays(SERVING_MS, stops);
  const history = new History();
  const stopSeconds: number[] = [];
  let service = installation.start();
  const client = await prepareClient(await service.url);
  const creates = new Creates(client);
  for (const moment of when) {
    const sender = new Sender(await service.url, client, history.add);
    const load = sender.sendMany(
      () => creates.next(),
      ({ status }) => status !== null,
    );
    await wait(moment);
    const server = installation.serverPid();
    const signalledAt = performance.now();
    expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
    stopSeconds.push((performance.now() - signalledAt) / 1000);
    expect(isAlive(server)).toBe(false);
    await load;
    sender.close();
    service = installation.start();
    await service.url;
  }
  // Checked before the repeats: every stored creation has been acknowledged to its client.
  const beforeRepeats = history.judge(await installation.rows());
  const sender = new Sender(await service.url, client, history.add);
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  report('SIGTERM under load', {
    seed: SEED,
    stops,
    ...verdict,
    withoutResponse: beforeRepeats.withoutResponse,
    stopSeconds: summaryOf(stopSeconds),
  });
  expect(beforeRepeats).toMatchObject({ lost: 0, duplicate: 0, phantom: 0, withoutResponse: 0, failed: 0 });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect(await installation.verify()).toMatchObject({ code: 0 });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});
