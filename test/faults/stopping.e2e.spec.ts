import { SEED } from '../support/rounds';
import { LIMIT_MS, moments, pass, report, spread, tries, until } from './support/form';
import { allOnce, History } from './support/history';
import { CONNECTIONS, Creates, prepareClient, Sender } from './support/load';
import { Installation, isAlive } from './support/service-process';

/** SIGTERM while requests run: what was accepted is answered, then the database goes, then the process. */
jest.setTimeout(LIMIT_MS);

const SERVING_MS = 300;

let installation: Installation;

beforeEach(() => {
  installation = Installation.create();
});
afterEach(() => installation.remove());

it('Requests that wait inside the service for the database are answered before it goes', async () => {
  const service = installation.start();
  const url = await service.url;
  // An account each: those about the same one wait for each other without a connection.
  const client = await prepareClient(url, CONNECTIONS);
  const creates = new Creates(client);
  const history = new History();
  const sender = new Sender(url, client, history.add);
  const blocker = await installation.connect();
  await blocker.query('BEGIN');
  await blocker.query('SELECT FROM accounts FOR UPDATE');
  const waiting = client.accountIds.map((account_id) => {
    const { key, body } = creates.next();
    return sender.send({ key, body: { ...body, account_id } });
  });
  await until('all wait for their accounts', async () => {
    const locked = await installation.sql(`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock'`);
    return locked.length >= CONNECTIONS;
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
  expect(history.outcomes()).toEqual({ acknowledged: CONNECTIONS, refused: 0, unknown: 0 });
  expect(await ended).toEqual({ code: 0, signal: null });
  expect(isAlive(server)).toBe(false);
  await blocker.end();
  sender.close();
});

it(`Stopped at any moment, it leaves nobody without an answer (seed ${SEED})`, async () => {
  const stops = tries({ short: 1, long: 30 });
  const when = moments(SERVING_MS, stops);
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
    await pass(moment);
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
  // Before the repeats: whatever happened was told to its client, at least once.
  const answered = history.judge(await installation.rows());
  const sender = new Sender(await service.url, client, history.add);
  await sender.retryAll(creates.given);
  sender.close();
  const verdict = history.judge(await installation.rows());
  report('SIGTERM under load', {
    seed: SEED,
    stops,
    ...verdict,
    unanswered: answered.unanswered,
    stopSeconds: spread(stopSeconds),
  });
  expect(answered).toMatchObject({ lost: 0, duplicate: 0, phantom: 0, unanswered: 0, failed: 0 });
  expect(verdict).toEqual(allOnce(creates.given.length));
  expect(await installation.verify()).toMatchObject({ code: 0 });
  expect(await service.signal('SIGTERM')).toEqual({ code: 0, signal: null });
});
