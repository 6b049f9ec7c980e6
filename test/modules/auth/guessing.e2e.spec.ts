import { PasswordHasherService } from '../../../src/modules/auth/application/password-hasher.service';
import { Reply } from '../../support/api';
import { aUser, created, PASSWORD, Person, someEmail, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { rounds } from '../../support/rounds';
import { percentile, Seeded } from './seeded';

const WRONG = 'a wrong horse battery';

type Matching = Parameters<PasswordHasherService['matching']>;

describe('Failed logins', () => {
  /** A failure takes two hash comparisons. One that skipped a comparison would differ by a factor of 2. */
  const MAX_RATIO = 1.35;
  /** Rounds per measurement. Repeated measurements reduce the noise of a busy machine, but do not hide a real leak. */
  const ROUNDS = rounds(10);
  const MAX_MEASUREMENTS = 6;
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

  it('have the same response and duration for any cause', async () => {
    const seeded = new Seeded('login timing');
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
      'a password that is too long': () => [user.email, 'k'.repeat(100)],
      'a suspended user': () => [suspended.email, WRONG],
      'a user and an account': () => [both, WRONG],
      'a closed account': () => [closed, WRONG],
      success: () => [user.email, PASSWORD],
    };
    const times = Object.fromEntries(Object.keys(cases).map((name): [string, number[]] => [name, []]));
    const responses = new Set<string>();

    async function round(): Promise<void> {
      await service.sql('DELETE FROM shared_limits');
      for (const name of seeded.shuffled(Object.keys(cases))) {
        const { reply, milliseconds } = await timed(...cases[name]!());
        times[name]!.push(milliseconds);
        const headers = [...reply.headers.keys()].toSorted().join();
        if (name === 'success') expect(reply.status).toBe(200);
        else responses.add(`${reply.status} ${headers} ${reply.text}`);
      }
    }

    /** Compares lower quartiles, since the load of the machine only adds to a duration. */
    function ratios(): { betweenFailures: number; fromSuccess: number } {
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
        betweenFailures: Math.max(...quartiles) / Math.min(...quartiles),
        fromSuccess: Math.min(...quartiles) / success!,
      };
    }

    let found = { betweenFailures: Infinity, fromSuccess: 0 };
    for (
      let measurement = 0;
      measurement < MAX_MEASUREMENTS && (found.betweenFailures > MAX_RATIO || found.fromSuccess < MAX_RATIO);
      measurement += 1
    ) {
      for (let done = 0; done < ROUNDS; done += 1) await round();
      found = ratios();
    }
    expect(responses.size).toBe(1);
    expect([...responses][0]).toMatch(/^401 .*"error":"invalid_credentials"/);
    expect(found.betweenFailures).toBeLessThan(MAX_RATIO);
    // Proves that the measurement detects a missing comparison: a success takes one comparison less.
    expect(found.fromSuccess).toBeGreaterThan(MAX_RATIO);
  });
});

describe('Limits for failed logins in production', () => {
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
    await replicas[0]!.sql('DELETE FROM shared_limits');
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

  /** The headers that a proxy adds for a client, after an address that the client may have claimed. */
  const from = (address: string, claimed?: string) => ({
    'x-forwarded-for': claimed === undefined ? address : `${claimed}, ${address}`,
    'x-forwarded-proto': 'https',
  });

  const anyAddress = (seeded: Seeded) => `198.51.${seeded.below(256)}.${seeded.below(256)}`;

  /** Sends concurrent logins. @returns how many were processed; all others must be rate-limited */
  async function processed(count: number, guess: (index: number) => Promise<Reply>): Promise<number> {
    const replies = await Promise.all(Array.from({ length: count }, (_, index) => guess(index)));
    const failed = replies.filter(({ status }) => status === 401);
    const limited = replies.filter(({ status }) => status === 429);
    expect(failed.length + limited.length).toBe(count);
    for (const { body, headers } of limited) {
      expect(body.error).toBe('rate_limited');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
    }
    return failed.length;
  }

  it('one email and address: exactly the limit, for any X-Forwarded-For', async () => {
    const seeded = new Seeded('failed logins with forged addresses');
    const guess = () => {
      const claimed = anyAddress(seeded);
      const forged = { 'x-forwarded-for': claimed, 'x-real-ip': claimed, forwarded: `for=${claimed}` };
      return login(seeded.pick(replicas), victim.email, WRONG, forged);
    };
    const count = await processed(60, guess);
    seeded.report(`processed ${count} of 60`);
    expect(count).toBe(LIMITS.emailAndAddress);
    expect(await processed(5, guess)).toBe(0);
    // The correct password is rejected as well, on both replicas and for any case of the email.
    for (const replica of replicas) {
      expect((await login(replica, victim.email.toUpperCase(), PASSWORD)).status).toBe(429);
    }
    const other = await aUser(replicas[1]!.api);
    expect((await login(replicas[0]!, other.email, PASSWORD)).status).toBe(200);
  });

  it('a login that waits for its turn while a limit is reached compares nothing', async () => {
    const [service] = replicas as [TestService];
    const compared: unknown[] = [];
    const waiting = async function (
      this: PasswordHasherService,
      ...[password, client, candidatesOf]: Matching
    ) {
      spy.mockRestore();
      expect(await processed(30, () => login(service, victim.email, WRONG))).toBe(LIMITS.emailAndAddress);
      return this.matching(password, client, async () => {
        const candidates = await candidatesOf();
        compared.push(...candidates);
        return candidates;
      });
    };
    const spy = jest.spyOn(PasswordHasherService.prototype, 'matching').mockImplementationOnce(waiting);
    expect((await login(service, victim.email, PASSWORD)).status).toBe(429);
    expect(compared).toEqual([]);
  });

  it('sequential logins: exactly the limit; successes are not counted', async () => {
    for (let failure = 0; failure < LIMITS.emailAndAddress - 1; failure += 1) {
      expect((await login(replicas[failure % 2]!, victim.email, WRONG)).status).toBe(401);
      expect((await login(replicas[failure % 2]!, victim.email, PASSWORD)).status).toBe(200);
    }
    expect((await login(replicas[0]!, victim.email, WRONG)).status).toBe(401);
    expect((await login(replicas[1]!, victim.email, WRONG)).status).toBe(429);
  });

  it('an unknown email: exactly the limit', async () => {
    const nobody = someEmail();
    expect(await processed(30, (index) => login(replicas[index % 2]!, nobody, WRONG))).toBe(
      LIMITS.emailAndAddress,
    );
  });

  it('one email and many addresses: exactly the limit', async () => {
    const seeded = new Seeded('failed logins from many addresses');
    const addresses = Array.from({ length: 130 }, (_, index) => `203.0.113.${index}`);
    const guess = (index: number) =>
      login(seeded.pick(proxied), victim.email, WRONG, from(addresses[index]!, anyAddress(seeded)));
    const count = await processed(addresses.length, guess);
    seeded.report(`processed ${count} of ${addresses.length}`);
    expect(count).toBe(LIMITS.email);
  });

  it('many emails and one address: exactly the limit', async () => {
    const seeded = new Seeded('failed logins of many emails');
    const guess = () =>
      login(seeded.pick(proxied), someEmail(), WRONG, from('203.0.113.7', anyAddress(seeded)));
    const count = await processed(130, guess);
    seeded.report(`processed ${count} of 130`);
    expect(count).toBe(LIMITS.address);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.7'))).status).toBe(429);
    expect((await login(proxied[1]!, victim.email, PASSWORD, from('203.0.113.8'))).status).toBe(200);
  });

  it('one email and many addresses of one IPv6 network: exactly the limit of one network', async () => {
    const guess = (index: number) =>
      login(proxied[index % 2]!, victim.email, WRONG, from(`2001:db8:0:1:${index}::1`));
    expect(await processed(130, guess)).toBe(LIMITS.emailAndAddress);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('2001:db8:0:2::1'))).status).toBe(200);
  });

  it('strangers in many networks do not lock the owner out of a network that the owner has used', async () => {
    const known = '2001:db8:0:3::1';
    expect((await login(proxied[0]!, victim.email, PASSWORD, from(known))).status).toBe(200);
    const guess = (index: number) =>
      login(proxied[index % 2]!, victim.email, WRONG, from(`2001:db8:1:${index}::1`));
    expect(await processed(130, guess)).toBe(LIMITS.email);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.8'))).status).toBe(429);
    expect((await login(proxied[1]!, victim.email, PASSWORD, from('2001:db8:0:3::2'))).status).toBe(200);
    // Guesses from that network have a limit of their own.
    const insider = (index: number) => login(proxied[index % 2]!, victim.email, WRONG, from(known));
    expect(await processed(30, insider)).toBe(LIMITS.emailAndAddress);
  });

  it('an attacker with an account of the same email gains no guesses at the password of the user', async () => {
    const own = 'the horse of an attacker';
    const account = { email: victim.email, password: own, name: 'Lovelace Ltd', type: 'business' };
    await created(replicas[0]!.api, '/v1/accounts', account);
    const networks = Array.from({ length: 13 }, (_, index) => `2001:db8:2:${index}::1`);
    for (const network of networks)
      expect((await login(proxied[0]!, victim.email, own, from(network))).status).toBe(200);
    const guess = (index: number) =>
      login(proxied[index % 2]!, victim.email, WRONG, from(networks[index % networks.length]!));
    // Beyond the limit, guesses are compared with the attacker's own password alone.
    expect(await processed(130, guess)).toBeGreaterThanOrEqual(LIMITS.email);
    await replicas[0]!.sql("DELETE FROM shared_limits WHERE key LIKE 'failed-logins-both:%'");
    const attempts = await Promise.all(
      networks.map((network, index) => login(proxied[index % 2]!, victim.email, PASSWORD, from(network))),
    );
    expect(attempts.map(({ status }) => status)).toEqual(networks.map(() => 401));
    expect((await login(proxied[0]!, victim.email, own, from(networks[0]!))).status).toBe(200);
  });

  it('the owner can log in from another address during an attack', async () => {
    const flood = (index: number) => login(proxied[index % 2]!, victim.email, WRONG, from('203.0.113.7'));
    expect(await processed(150, flood)).toBe(LIMITS.emailAndAddress);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.8'))).status).toBe(200);
    expect((await login(proxied[0]!, victim.email, PASSWORD, from('203.0.113.7'))).status).toBe(429);
  });

  it('the current password in a password change: exactly the limit', async () => {
    const change = (index: number, current_password: string) =>
      replicas[index % 2]!.api.as(victim.token).post('/v1/auth/password', {
        current_password,
        password: 'new horse battery',
      });
    expect(await processed(30, (index) => change(index, WRONG))).toBe(LIMITS.emailAndAddress);
    expect((await change(0, PASSWORD)).status).toBe(429);
    // The owner can still log in.
    expect((await login(replicas[0]!, victim.email, PASSWORD)).status).toBe(200);
  });
});
