import fc from 'fast-check';
import { Api } from '../../support/api';
import { anOwner, created, Owner } from '../../support/people';
import { draw, SEED } from '../../support/rounds';
import { anEvent } from '../../modules/events/webhooks/deliveries';
import { behaviors, HostileReceiver } from '../../modules/events/webhooks/hostile-receiver';
import { Receiver } from '../../modules/events/webhooks/receiver';
import { isLong, report, until, wait } from './support/form';
import { Installation } from './support/service-process';

/** Webhook endpoints that keep connections busy, beside endpoints that respond at once. */
const TIMEOUT_MS = isLong ? 20 * 60_000 : 10 * 60_000;
jest.setTimeout(TIMEOUT_MS);

const HOSTILE_ACCOUNTS = 22;
const ENDPOINTS_EACH = 20;
const HONEST_ACCOUNTS = 50;
/** In each round, each honest account has one event; in some of them, so has each hostile one, which 20 endpoints get. */
const ROUND_MS = 2_000;
const QUIET_ROUNDS = isLong ? 15 : 4;
const ROUNDS = Number(process.env['CHECK_ROUNDS'] ?? (isLong ? 90 : 12));
const ROUNDS_PER_ATTACK = 4;

/** These respond at once to their first events, and to the next ones after 14 s. Some of them do so at the stop. */
const TURNING_ACCOUNTS = 34;
const TURNING_AT_STOP = 8;
const TURNING_ENDPOINTS_EACH = 4;
const TURNED_ROUNDS = 8;
const TURNED_MS = 14_000;

/** The service ends within 25 s after SIGTERM, whatever is in progress. */
const STOP_MS = 26_000;

/** An event that has not arrived by then is lost. On a slow machine, the lease of an endpoint may have to end before. */
const LOST_MS = 120_000;

/**
 * The bound of the honest p99, or on a slow machine that of its ratio to the quiet rounds before. In the short form, other
 * suites run beside this one; an event that waits for a receiver of 14 s is above the bound then, too.
 */
const P99_MS = isLong ? 5_000 : 10_000;
const SLOWDOWN = 4;

let installation: Installation;
let hostile: HostileReceiver;
let honest: Receiver;
let turning: Receiver;

beforeAll(async () => {
  installation = Installation.create();
  [hostile, honest, turning] = await Promise.all([
    HostileReceiver.start(),
    Receiver.start(),
    Receiver.start(),
  ]);
});
afterAll(async () => {
  await Promise.all([hostile.stop(), honest.stop(), turning.stop()]);
  await installation.remove();
});

const ownersOf = async (api: Api, count: number): Promise<Owner[]> => {
  const owners: Owner[] = [];
  for (let index = 0; index < count; index += 1) owners.push(await anOwner(api));
  return owners;
};

it(`Hostile receivers delay no others, and no shutdown (seed ${SEED})`, async () => {
  const service = installation.start({ LOG_LEVEL: 'error' });
  const api = await Api.of(await service.url);
  const event_types = ['transaction.created'];
  const clients = await ownersOf(api, HONEST_ACCOUNTS);
  for (const { api: own } of clients) await created(own, '/v1/webhooks', { url: honest.url, event_types });
  const arrived = new Map<string, number>();
  honest.respond = (response, { body }) => {
    const event = JSON.parse(body) as { created_at: string; object_id: string };
    arrived.set(event.object_id, Date.now() - Date.parse(event.created_at));
    response.end();
  };
  /** @returns the delays of the events in order */
  const measure = async (rounds: number, attack: (round: number) => Promise<unknown>): Promise<number[]> => {
    const sent: string[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const startedAt = performance.now();
      await attack(round); // first, so that what it causes is older
      const transactions = await Promise.all(clients.map((client) => anEvent(client)));
      sent.push(...transactions.map(({ id }) => id as string));
      await wait(Math.max(0, ROUND_MS - (performance.now() - startedAt)));
    }
    const isLate = (): boolean => performance.now() > deadline;
    const deadline = performance.now() + LOST_MS;
    while (!sent.every((id) => arrived.has(id)) && !isLate()) await wait(100);
    return sent
      .filter((id) => arrived.has(id))
      .map((id) => arrived.get(id)!)
      .toSorted((one, other) => one - other);
  };
  const quiet = await measure(QUIET_ROUNDS, async () => undefined);

  const turners = await ownersOf(api, TURNING_ACCOUNTS + TURNING_AT_STOP);
  for (const { api: own } of turners)
    for (let index = 0; index < TURNING_ENDPOINTS_EACH; index += 1)
      await created(own, '/v1/webhooks', { url: turning.url, event_types });
  const turn = (some: Owner[]) => Promise.all(some.map((turner) => anEvent(turner)));
  const requestsOf = (some: Owner[]): number => some.length * TURNING_ENDPOINTS_EACH;
  await turn(turners);
  await until('turning endpoints are fast', () => turning.received.length === requestsOf(turners));
  turning.respond = (response) => setTimeout(() => response.end(), TURNED_MS).unref();
  const atStop = turners.splice(TURNING_ACCOUNTS);
  const turned = await measure(TURNED_ROUNDS, async (round) => {
    if (round === 0) await turn(turners);
  });

  const attackers = await ownersOf(api, HOSTILE_ACCOUNTS);
  const names = Object.keys(behaviors) as (keyof typeof behaviors)[];
  const chosen = draw(fc.constantFrom(...names), HOSTILE_ACCOUNTS * ENDPOINTS_EACH);
  for (const [index, name] of chosen.entries()) {
    const { api: own } = attackers[index % HOSTILE_ACCOUNTS]!;
    await created(own, '/v1/webhooks', { url: hostile.urlOf(name), event_types });
  }
  const attack = () => Promise.all(attackers.map((attacker) => anEvent(attacker)));
  let connections = 0;
  const attacked = await measure(ROUNDS, async (round) => {
    connections = Math.max(connections, hostile.open.size);
    if (round % ROUNDS_PER_ATTACK === 0) await attack();
  });

  await attack();
  const { length } = turning.received;
  await turn(atStop);
  await until(
    'requests are in progress',
    () => hostile.open.size > 0 && turning.received.length >= length + requestsOf(atStop),
  );
  await wait(3_000); // those of the turning endpoints are overdue
  const signalledAt = performance.now();
  const end = await service.signal('SIGTERM');
  const stopMs = Math.round(performance.now() - signalledAt);

  const summary = (delays: readonly number[]) => ({
    p50: at(delays, 0.5),
    p99: at(delays, 0.99),
    longest: at(delays, 1),
  });
  report('webhooks with hostile receivers', {
    seed: SEED,
    hostileRequests: hostile.requests,
    hostileConnections: connections,
    events: attacked.length,
    quietMs: summary(quiet),
    turnedMs: summary(turned),
    attackedMs: summary(attacked),
    stopMs,
    postponed: service.output().split('were postponed').length - 1,
  });
  expect(quiet).toHaveLength(QUIET_ROUNDS * HONEST_ACCOUNTS);
  expect(turned).toHaveLength(TURNED_ROUNDS * HONEST_ACCOUNTS);
  expect(attacked).toHaveLength(ROUNDS * HONEST_ACCOUNTS);
  const limitMs = Math.max(P99_MS, SLOWDOWN * at(quiet, 0.99));
  expect(at(turned, 0.99)).toBeLessThanOrEqual(limitMs);
  expect(at(attacked, 0.99)).toBeLessThanOrEqual(limitMs);
  expect(stopMs).toBeLessThanOrEqual(STOP_MS);
  expect(end).toEqual({ code: 0, signal: null });
});

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.floor((sorted.length - 1) * part)]!;
}
