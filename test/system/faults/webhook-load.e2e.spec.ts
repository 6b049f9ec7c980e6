import { newId } from '../../../src/kernel/ids';
import { anOwner, Owner } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { anEndpoint } from '../../modules/events/webhooks/deliveries';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { isLong, LIMIT_MS, report, until, wait } from './support/form';

/** Events for many endpoints, some of which never respond. */
jest.setTimeout(LIMIT_MS);

/** Events per second: what two quiet cores deliver, with the receiver on them too. */
const RATE = Number(process.env['CHECK_RATE'] ?? 1_000);
const [ENDPOINTS, DEAD, PER_SECOND, SECONDS] = isLong ? [100, 10, RATE, 60] : [10, 2, 100, 2];
const TICK_MS = 100;
/** The time limit of a request, for which a dead endpoint would delay the others if they waited for it. */
const TIME_LIMIT_MS = 15_000;

let service: TestService;
let receiver: Receiver;

beforeAll(async () => {
  service = await startTestService({ RUN_WORKER: 'true', DATABASE_POOL_SIZE: '20' });
  receiver = await Receiver.start();
});
afterAll(async () => {
  await receiver.stop();
  await service.stop();
});

/** Adds events and announces them, as another process of the service does, without the load of the requests that cause them. */
async function addEvents(owners: readonly Owner[], count: number): Promise<void> {
  const now = new Date();
  const keys = Array.from({ length: count }, (_, index) => [
    owners[index % owners.length]!.accountId,
    newId('evt', now),
  ]);
  const [accountIds, ids] = [keys.map(([accountId]) => accountId), keys.map(([, id]) => id)];
  const rows = 'FROM unnest($1::text[], $2::text[]) AS key (account_id, id)';
  await service.sql(
    `WITH added AS (
       INSERT INTO events (account_id, id, type, object_id, sequence, object, created_at)
       SELECT account_id, id, 'transaction.created', 'txn_load', 1, '{"id":"txn_load","amount":1250}', $3 ${rows})
     INSERT INTO event_outbox (account_id, event_id) SELECT account_id, id ${rows}`,
    [accountIds, ids, now],
  );
  await service.sql(`SELECT nextval('wake_ups')`);
}

const at = (sorted: readonly number[], part: number): number =>
  Math.round(sorted[Math.floor((sorted.length - 1) * part)]!);

it('Endpoints that never respond do not delay the others', async () => {
  const owners: Owner[] = [];
  for (let count = 0; count < ENDPOINTS; count += 1) {
    const owner = await anOwner(service.api);
    await anEndpoint(owner, receiver);
    owners.push(owner);
  }
  const dead = new Set(owners.slice(0, DEAD).map(({ accountId }) => `/${accountId}`));
  const delays: number[] = [];
  let timeouts = 0;
  receiver.respond = (response, { path, body }) => {
    if (dead.has(path)) timeouts += 1;
    else {
      delays.push(Date.now() - Date.parse((JSON.parse(body) as { created_at: string }).created_at));
      response.end();
    }
  };
  const startedAt = performance.now();
  const ticks = (SECONDS * 1_000) / TICK_MS;
  for (let tick = 0; tick < ticks; tick += 1) {
    // Another part of the owners each time, so that all get the same.
    const turn = (tick * PER_SECOND * TICK_MS) / 1_000;
    const shifted = owners.map((_, index) => owners[(index + turn) % owners.length]!);
    await addEvents(shifted, (PER_SECOND * TICK_MS) / 1_000);
    await wait(Math.max(0, startedAt + (tick + 1) * TICK_MS - performance.now()));
  }
  const addedWithinS = (performance.now() - startedAt) / 1_000;
  const healthy = (ENDPOINTS - DEAD) * ((PER_SECOND * SECONDS) / ENDPOINTS);
  await until('all healthy endpoints have their events', () => delays.length >= healthy);
  const sorted = delays.toSorted((one, other) => one - other);
  report('webhooks with dead endpoints', {
    endpoints: ENDPOINTS,
    dead: DEAD,
    eventsPerSecond: Math.round((PER_SECOND * SECONDS) / addedWithinS),
    delivered: sorted.length,
    requestsToDead: timeouts,
    ms: { p50: at(sorted, 0.5), p99: at(sorted, 0.99), longest: at(sorted, 1) },
  });
  expect(timeouts).toBeGreaterThan(0);
  expect(sorted).toHaveLength(healthy);
  expect(sorted.at(-1)).toBeLessThan(TIME_LIMIT_MS);
});

it('An account that changes a thousand times a second does not delay the others', async () => {
  const [rate, seconds, endpoints] = isLong ? [RATE, 60, 4] : [300, 3, 2];
  const flooder = await anOwner(service.api);
  for (let count = 0; count < endpoints; count += 1) await anEndpoint(flooder, receiver);
  const others: Owner[] = [];
  for (let count = 0; count < 10; count += 1) {
    const owner = await anOwner(service.api);
    await anEndpoint(owner, receiver);
    others.push(owner);
  }
  const delays: Record<'flooder' | 'others', number[]> = { flooder: [], others: [] };
  const paths = new Set(others.map(({ accountId }) => `/${accountId}`));
  receiver.respond = (response, { path, body }) => {
    const delay = Date.now() - Date.parse((JSON.parse(body) as { created_at: string }).created_at);
    if (path === `/${flooder.accountId}`) delays.flooder.push(delay);
    else if (paths.has(path)) delays.others.push(delay);
    response.end();
  };
  const ticks = (seconds * 1_000) / TICK_MS;
  const startedAt = performance.now();
  for (let tick = 0; tick < ticks; tick += 1) {
    await addEvents([flooder], (rate * TICK_MS) / 1_000);
    await addEvents([others[tick % others.length]!], 1);
    await wait(Math.max(0, startedAt + (tick + 1) * TICK_MS - performance.now()));
  }
  const addedWithinS = (performance.now() - startedAt) / 1_000;
  await until('the others have their events', () => delays.others.length >= ticks);
  const [mine, theirs] = [delays.flooder, delays.others].map((all) =>
    all.toSorted((one, other) => one - other),
  );
  const backlog = rate * seconds * endpoints - mine!.length;
  report('webhooks beside an account that changes often', {
    eventsPerSecond: Math.round((rate * seconds) / addedWithinS),
    endpoints,
    backlog,
    flooderMs: { p50: at(mine!, 0.5), p99: at(mine!, 0.99) },
    othersMs: { p50: at(theirs!, 0.5), p99: at(theirs!, 0.99), longest: at(theirs!, 1) },
  });
  expect(theirs).toHaveLength(ticks);
  // On a slow machine, the account is delayed itself, and by far more.
  expect(at(theirs!, 0.99)).toBeLessThan(Math.max(5_000, at(mine!, 0.99) / 8));
});
