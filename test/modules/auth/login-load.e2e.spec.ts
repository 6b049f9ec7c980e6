import { hashSync } from 'bcryptjs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { PasswordHasherService } from '../../../src/modules/auth/application/password-hasher.service';
import { anAccount, aUser, Owner, PASSWORD, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { rounds } from '../../support/rounds';
import { percentile, Seeded } from './seeded';

const COST = 6;
const LOGINS = rounds(200);
/** More hashes than the queue and the workers hold. */
const MORE_THAN_QUEUE = 640;
/** The networks of an attacker, each with a login at a time. */
const NETWORKS = 48;
/** The client that the tests are. */
const CLIENT = '127.0.0.1';
const NANOSECONDS_PER_MS = 1e6;

interface Delays {
  readonly requestP99: number;
  readonly eventLoopP99: number;
}

describe('Concurrent logins', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({ BCRYPT_COST: String(COST), TRUSTED_PROXIES: CLIENT });
    owner = await anAccount(service.api);
  });
  afterAll(() => service.stop());

  const login = (email: string, address = CLIENT) =>
    service.api.post(
      '/v1/auth/login',
      { email, password: PASSWORD },
      { headers: { 'x-forwarded-for': address } },
    );

  /** Measures the duration of other requests and the delay of the event loop during `work`. */
  async function delaysDuring(work: Promise<unknown>): Promise<Delays> {
    let done = false;
    const waits: number[] = [];
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const clients = Array.from({ length: 2 }, async () => {
      while (!done) {
        const start = performance.now();
        expect((await owner.api.get('/v1/account')).status).toBe(200);
        waits.push(performance.now() - start);
      }
    });
    await work;
    done = true;
    await Promise.all(clients);
    loop.disable();
    return { requestP99: percentile(waits, 0.99), eventLoopP99: loop.percentile(99) / NANOSECONDS_PER_MS };
  }

  /** A planted defect that the measurement must detect: hashing on the main thread. */
  async function hashOnMainThread(hashes: number): Promise<void> {
    for (let count = 0; count < hashes; count += 32) {
      for (let each = 0; each < 32; each += 1) hashSync(PASSWORD, COST);
      await new Promise(setImmediate);
    }
  }

  it('do not block the event loop', async () => {
    const seeded = new Seeded('logins under load');
    const { email } = await aUser(service.api);
    const logins = async () => {
      const replies = await Promise.all(Array.from({ length: LOGINS }, () => login(email)));
      expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    };
    await delaysDuring(delay(500)); // warm-up
    const idle = await delaysDuring(delay(500));
    const loaded = await delaysDuring(logins());
    const planted = await delaysDuring(hashOnMainThread(128));
    seeded.report(
      `in ms: idle ${format(idle)}, ${LOGINS} logins ${format(loaded)}, hashing on the main thread ${format(planted)}`,
    );
    // The duration of requests also depends on the load of the machine, so only the event loop is compared.
    expect(loaded.eventLoopP99).toBeLessThan(planted.eventLoopP99);
  });

  /** Returns the service's hasher, which a spy records during a login. */
  async function hasherInUse(email: string): Promise<PasswordHasherService> {
    const spy = jest.spyOn(PasswordHasherService.prototype, 'isOutdated');
    await login(email);
    const [hasher] = spy.mock.contexts as unknown as PasswordHasherService[];
    spy.mockRestore();
    return hasher!;
  }

  it('are rejected while the same client has filled the queue, unless their owner has used its network', async () => {
    const seeded = new Seeded('login queue');
    const { email } = await aUser(service.api);
    const hasher = await hasherInUse(email);
    const client = { address: CLIENT, owner: null };
    const fill = () => hasher.matching(PASSWORD, client, async () => []);
    let full = true;
    const waiting = Array.from({ length: MORE_THAN_QUEUE }, async () => {
      while (full) await fill().catch(() => new Promise(setImmediate));
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => login(someEmail())));
    const ofOwner = await login(email);
    full = false;
    await Promise.all(waiting);

    const rejected = replies.filter(({ status }) => status === 503);
    seeded.report(`of ${replies.length} with a full queue ${rejected.length} were rejected`);
    expect(rejected.length).toBeGreaterThan(0);
    expect(replies.filter(({ status }) => ![401, 503].includes(status))).toEqual([]);
    for (const { body, headers } of rejected) {
      expect(body).toEqual({ error: 'unavailable', message: expect.any(String) });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect([ofOwner.status, (await login(someEmail())).status]).toEqual([200, 401]);
  });

  it.each([
    ['of anyone elsewhere', 'one IPv6 network of 48 bits', (n: number) => `2001:db8:1:${n}::1`, false],
    ['of an owner in a known network', 'unrelated networks', (n: number) => `198.18.${n}.1`, true],
  ])('do not delay those %s, when they come from %s', async (_, __, addressOf, isKnown) => {
    const seeded = new Seeded('logins from many networks');
    const { email } = await aUser(service.api);
    const address = '192.0.2.1';
    if (isKnown) expect((await login(email, address)).status).toBe(200);
    const timed = async (...[to, from]: Parameters<typeof login>): Promise<number> => {
      const start = performance.now();
      expect([200, 401]).toContain((await login(to, from)).status);
      return performance.now() - start;
    };
    let flooding = true;
    const flood: number[] = [];
    const attackers = Array.from({ length: NETWORKS }, async (_each, index) => {
      while (flooding) flood.push(await timed(someEmail(), addressOf(index)));
    });
    const honest: number[] = [];
    try {
      while (flood.length < NETWORKS) await new Promise(setImmediate);
      for (let count = 0; count < 5; count += 1) {
        // A login makes the network known to the user, so each login of a stranger is another user's.
        const each = isKnown ? email : (await aUser(service.api)).email;
        honest.push(await timed(each, address));
      }
    } finally {
      flooding = false;
      await Promise.all(attackers);
    }
    const [ofHonest, ofFlood] = [percentile(honest, 0.5), percentile(flood, 0.5)];
    seeded.report(`median in ms: honest ${ofHonest.toFixed(0)}, flood ${ofFlood.toFixed(0)}`);
    expect(ofHonest).toBeLessThan(ofFlood / 2);
  });
});

function format({ requestP99, eventLoopP99 }: Delays): string {
  return `requests p99 ${requestP99.toFixed(1)}, event loop p99 ${eventLoopP99.toFixed(1)}`;
}
