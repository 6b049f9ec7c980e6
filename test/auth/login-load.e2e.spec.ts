import { hashSync } from 'bcryptjs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { PasswordHasher } from '../../src/modules/auth/application/password-hasher';
import { anAccount, aUser, Owner, PASSWORD } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { percentile, rounds, Seeded } from './seeded';

const COST = 6;
const LOGINS = rounds(200);
/** More hashes than may wait and be worked on at once. */
const QUEUE_AND_MORE = 640;
const NANOSECONDS_PER_MS = 1e6;

interface Delays {
  readonly requestP99: number;
  readonly eventLoopP99: number;
}

describe('many logins at once', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService({ BCRYPT_COST: String(COST) });
    owner = await anAccount(service.api);
  });
  afterAll(() => service.stop());

  const login = (email: string) => service.api.post('/v1/auth/login', { email, password: PASSWORD });

  /** What other requests have to wait, and the event loop, for as long as `work` takes. */
  async function delaysDuring(work: Promise<unknown>): Promise<Delays> {
    let over = false;
    const waits: number[] = [];
    const loop = monitorEventLoopDelay({ resolution: 1 });
    loop.enable();
    const clients = Array.from({ length: 2 }, async () => {
      while (!over || waits.length < 50) {
        const start = performance.now();
        expect((await owner.api.get('/v1/account')).status).toBe(200);
        waits.push(performance.now() - start);
      }
    });
    await work;
    over = true;
    await Promise.all(clients);
    loop.disable();
    return { requestP99: percentile(waits, 0.99), eventLoopP99: loop.percentile(99) / NANOSECONDS_PER_MS };
  }

  /** The defect that the measure must see: hashing on the main thread. */
  async function hashOnMainThread(hashes: number): Promise<void> {
    for (let done = 0; done < hashes; done += 32) {
      for (let each = 0; each < 32; each += 1) hashSync(PASSWORD, COST);
      await new Promise(setImmediate);
    }
  }

  it('leave other requests and the event loop alone', async () => {
    const seeded = new Seeded('logins under load');
    const { email } = await aUser(service.api);
    const logins = async () => {
      const replies = await Promise.all(Array.from({ length: LOGINS }, () => login(email)));
      expect(replies.filter(({ status }) => status !== 200)).toEqual([]);
    };
    await delaysDuring(Promise.resolve()); // the first requests of a process are slow
    const quiet = await delaysDuring(Promise.resolve());
    const loaded = await delaysDuring(logins());
    const planted = await delaysDuring(hashOnMainThread(128));
    seeded.report(
      `in ms: quiet ${shown(quiet)}, ${LOGINS} logins ${shown(loaded)}, hashed on the main thread ${shown(planted)}`,
    );
    // What requests wait for is also the machine's other work; the event loop tells what hashing does to them.
    expect(loaded.eventLoopP99).toBeLessThan(planted.eventLoopP99);
  });

  /** The service's own hasher, caught as it serves a login. */
  async function hasherInUse(email: string): Promise<PasswordHasher> {
    const asked = jest.spyOn(PasswordHasher.prototype, 'isOutdated');
    await login(email);
    const [hasher] = asked.mock.contexts as unknown as PasswordHasher[];
    asked.mockRestore();
    return hasher!;
  }

  it('are told to repeat while as many wait as the queue takes, and then all is well again', async () => {
    const seeded = new Seeded('login queue');
    const { email } = await aUser(service.api);
    const hasher = await hasherInUse(email);
    let full = true;
    const waiting = Array.from({ length: QUEUE_AND_MORE }, async () => {
      while (full) await hasher.hash(PASSWORD).catch(() => new Promise(setImmediate));
    });
    const replies = await Promise.all(Array.from({ length: 20 }, () => login(email)));
    full = false;
    await Promise.all(waiting);

    const refused = replies.filter(({ status }) => status === 503);
    seeded.report(`of ${replies.length} at a full queue ${refused.length} were told to repeat`);
    expect(refused.length).toBeGreaterThan(0);
    expect(replies.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
    for (const { body, headers } of refused) {
      expect(body).toEqual({ error: 'unavailable', message: expect.any(String) });
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect((await login(email)).status).toBe(200);
  });
});

function shown({ requestP99, eventLoopP99 }: Delays): string {
  return `requests p99 ${requestP99.toFixed(1)}, event loop p99 ${eventLoopP99.toFixed(1)}`;
}
