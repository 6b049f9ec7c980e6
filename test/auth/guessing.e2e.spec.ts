import { Reply } from '../support/api';
import { aUser, created, PASSWORD, Person, someEmail, theAdmin } from '../support/people';
import { startTestService, TestService } from '../support/service';
import { percentile, rounds, Seeded } from './seeded';

const WRONG = 'a wrong horse battery';

describe('failed logins tell nothing', () => {
  /** A failure costs two comparisons, a success one, so that a failure that leaves one out lies far below this. */
  const MAX_RATIO = 1.35;
  /** Rounds between two looks at the figures. More of them lessen the noise of a busy machine, and no real leak. */
  const ROUNDS = rounds(10);
  const MAX_LOOKS = 6;
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ BCRYPT_COST: '8' });
  });
  afterAll(() => service.stop());

  async function timed(email: string, password: string): Promise<{ reply: Reply; milliseconds: number }> {
    const start = performance.now();
    const reply = await service.api.post('/v1/auth/login', { email, password });
    return { reply, milliseconds: performance.now() - start };
  }

  it('of an unknown email, a wrong password, a suspended user, a closed account: neither by words nor by time', async () => {
    const seeded = new Seeded('indistinguishable failures');
    const { api } = service;
    const admin = await theAdmin(api);
    const [user, suspended, both, closed] = [await aUser(api), await aUser(api), someEmail(), someEmail()];
    await admin.api.patch(`/v1/users/${suspended.id}`, { status: 'suspended' });
    await created(api, '/v1/users', { email: both, password: PASSWORD });
    const account = { password: PASSWORD, name: 'Lovelace Ltd', type: 'business' };
    await created(api, '/v1/accounts', { ...account, email: both });
    const { id } = await created(api, '/v1/accounts', { ...account, email: closed });
    await admin.api.delete(`/v1/accounts/${id}`);

    const cases: Record<string, () => [string, string]> = {
      'an unknown email': () => [someEmail(), WRONG],
      'a wrong password': () => [user.email, WRONG],
      'a password too long': () => [user.email, 'k'.repeat(100)],
      'a suspended user': () => [suspended.email, WRONG],
      'a user and an account': () => [both, WRONG],
      'a closed account': () => [closed, WRONG],
      success: () => [user.email, PASSWORD],
    };
    const times = Object.fromEntries(Object.keys(cases).map((name): [string, number[]] => [name, []]));
    const answers = new Set<string>();

    async function round(): Promise<void> {
      await service.sql('DELETE FROM failed_logins');
      for (const name of seeded.shuffled(Object.keys(cases))) {
        const { reply, milliseconds } = await timed(...cases[name]!());
        times[name]!.push(milliseconds);
        const headers = [...reply.headers.keys()].toSorted().join();
        if (name === 'success') expect(reply.status).toBe(200);
        else answers.add(`${reply.status} ${headers} ${reply.text}`);
      }
    }

    /** How far the failures lie apart, and how far a success lies from them. Low quartiles: load only ever adds. */
    function ratios(): { apart: number; fromSuccess: number } {
      const { success, ...failures } = Object.fromEntries(
        Object.entries(times).map(([name, each]) => [name, percentile(each, 0.25)]),
      );
      const quartiles = Object.values(failures);
      seeded.report(
        `ms ${Object.entries({ ...failures, success })
          .map(([name, ms]) => `${name} ${ms!.toFixed(1)}`)
          .join(', ')}`,
      );
      return {
        apart: Math.max(...quartiles) / Math.min(...quartiles),
        fromSuccess: Math.min(...quartiles) / success!,
      };
    }

    let found = { apart: Infinity, fromSuccess: 0 };
    for (
      let look = 0;
      look < MAX_LOOKS && (found.apart > MAX_RATIO || found.fromSuccess < MAX_RATIO);
      look += 1
    ) {
      for (let done = 0; done < ROUNDS; done += 1) await round();
      found = ratios();
    }
    expect(answers.size).toBe(1);
    expect([...answers][0]).toMatch(/^401 .*"error":"invalid_credentials"/);
    expect(found.apart).toBeLessThan(MAX_RATIO);
    // The measure sees one comparison: a success costs one less, and lies outside the bound.
    expect(found.fromSuccess).toBeGreaterThan(MAX_RATIO);
  }, 120_000);
});

describe('guessing passwords, in production', () => {
  const LIMITS = { emailAndAddress: 10, email: 100, address: 100 };
  let replicas: TestService[];
  let proxied: TestService[];
  let victim: Person;

  beforeAll(async () => {
    const service = await startTestService({ NODE_ENV: 'production' });
    replicas = [service, await service.replica()];
    const trusted = { TRUSTED_PROXIES: '127.0.0.1' };
    proxied = [await service.replica(trusted), await service.replica(trusted)];
  });
  beforeEach(async () => {
    await replicas[0]!.sql('DELETE FROM failed_logins');
    victim = await aUser(replicas[0]!.api);
  });
  afterAll(async () => {
    for (const service of [...proxied, ...replicas.toReversed()]) await service.stop();
  });

  const login = (
    { api }: TestService,
    email: string,
    password: string,
    headers: Record<string, string> = {},
  ) => api.post('/v1/auth/login', { email, password }, { headers });

  /** As a proxy passes a client on; what the client itself claimed stands before its address. */
  const from = (address: string, claimed?: string) => ({
    'x-forwarded-for': claimed === undefined ? address : `${claimed}, ${address}`,
    'x-forwarded-proto': 'https',
  });

  const anyAddress = (seeded: Seeded) => `198.51.${seeded.below(256)}.${seeded.below(256)}`;

  /** Guesses all at once, spread over the replicas: how many were answered, all others being told to wait. */
  async function allowed(count: number, guess: (index: number) => Promise<Reply>): Promise<number> {
    const replies = await Promise.all(Array.from({ length: count }, (_, index) => guess(index)));
    const answered = replies.filter(({ status }) => status === 401);
    const refused = replies.filter(({ status }) => status === 429);
    expect(answered.length + refused.length).toBe(count);
    for (const { body, headers } of refused) {
      expect(body.error).toBe('rate_limited');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
    }
    return answered.length;
  }

  it('one email from one address: the limit exactly, whatever X-Forwarded-For claims', async () => {
    const seeded = new Seeded('guessing with forged addresses');
    const guess = () => {
      const claimed = anyAddress(seeded);
      const forged = { 'x-forwarded-for': claimed, 'x-real-ip': claimed, forwarded: `for=${claimed}` };
      return login(seeded.pick(replicas), victim.email, WRONG, forged);
    };
    const count = await allowed(60, guess);
    seeded.report(`allowed ${count} of 60`);
    expect(count).toBe(LIMITS.emailAndAddress);
    expect(await allowed(5, guess)).toBe(0);
    // Not even the right password is told, on either replica, in any case of the email; another email is let in.
    for (const replica of replicas) {
      expect((await login(replica, victim.email.toUpperCase(), PASSWORD)).status).toBe(429);
    }
    const other = await aUser(replicas[1]!.api);
    expect((await login(replicas[0]!, other.email, PASSWORD)).status).toBe(200);
  });

  it('one after the other: the limit exactly, and successes between are not counted', async () => {
    for (let failure = 0; failure < LIMITS.emailAndAddress - 1; failure += 1) {
      expect((await login(replicas[failure % 2]!, victim.email, WRONG)).status).toBe(401);
      expect((await login(replicas[failure % 2]!, victim.email, PASSWORD)).status).toBe(200);
    }
    expect((await login(replicas[0]!, victim.email, WRONG)).status).toBe(401);
    expect((await login(replicas[1]!, victim.email, WRONG)).status).toBe(429);
  });

  it('an email that nobody has is limited alike', async () => {
    const nobody = someEmail();
    expect(await allowed(30, (index) => login(replicas[index % 2]!, nobody, WRONG))).toBe(
      LIMITS.emailAndAddress,
    );
  });

  it('one email from many addresses: the limit exactly', async () => {
    const seeded = new Seeded('guessing from many addresses');
    const addresses = Array.from({ length: 130 }, (_, index) => `203.0.113.${index}`);
    const guess = (index: number) =>
      login(seeded.pick(proxied), victim.email, WRONG, from(addresses[index]!, anyAddress(seeded)));
    const count = await allowed(addresses.length, guess);
    seeded.report(`allowed ${count} of ${addresses.length}`);
    expect(count).toBe(LIMITS.email);
  });

  it('many emails from one address: the limit exactly', async () => {
    const seeded = new Seeded('guessing many emails');
    const guess = () =>
      login(seeded.pick(proxied), someEmail(), WRONG, from('203.0.113.7', anyAddress(seeded)));
    const count = await allowed(130, guess);
    seeded.report(`allowed ${count} of 130`);
    expect(count).toBe(LIMITS.address);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.7'))).status).toBe(429);
    expect((await login(proxied[1]!, victim.email, PASSWORD, from('203.0.113.8'))).status).toBe(200);
  });

  it('one machine locks nobody else out, however many it sends at once', async () => {
    const flood = (index: number) => login(proxied[index % 2]!, victim.email, WRONG, from('203.0.113.7'));
    expect(await allowed(150, flood)).toBe(LIMITS.emailAndAddress);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.8'))).status).toBe(200);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.7'))).status).toBe(429);
  });

  it('the present password, with a stolen token: the limit exactly', async () => {
    const change = (index: number, current_password: string) =>
      replicas[index % 2]!.api.as(victim.token).post('/v1/auth/password', {
        current_password,
        password: 'new horse battery',
      });
    expect(await allowed(30, (index) => change(index, WRONG))).toBe(LIMITS.emailAndAddress);
    expect((await change(0, PASSWORD)).status).toBe(429);
    // The owner still signs in.
    expect((await login(replicas[0]!, victim.email, PASSWORD)).status).toBe(200);
  });
});
