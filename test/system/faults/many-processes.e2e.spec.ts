import { join } from 'node:path';
import { Api, Reply } from '../../support/api';
import { codeAt } from '../../support/authenticator';
import { Compiled } from '../../support/compiled';
import { anAdminWhoSignedUp, anOwner, aUser, Owner, PASSWORD, Person, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';
import { Seeded } from '../../modules/auth/seeded';
import { untilFound } from '../../support/until';
import { DelayingProxy } from './support/delaying-proxy';
import { LIMIT_MS, repetitions, report } from './support/form';

const WRONG = 'a wrong horse battery';
const PROCESSES = 4;
const SIGN_UP_LIMIT = 7;
const APPROVAL_LIMIT = 1_000;
/** Clocks differ by twice as much. It shortens the 10 s in which a refresh token may be used again. */
const SKEW_MS = 2_000;
const MAX_DELAY_MS = 60;
const AT_ONCE = 24;

jest.setTimeout(2 * LIMIT_MS);

const SETTINGS = {
  NODE_ENV: 'production',
  PROCESSOR: 'sandbox',
  PAYMENT_PAGE_URL: 'https://pay.countinghouse.test',
  PORT: '0',
  BCRYPT_COST: '4',
  JWT_SECRETS: 'a test secret that is only used in tests',
  TRUSTED_PROXIES: '127.0.0.1',
  SIGN_UP_LIMIT: `${SIGN_UP_LIMIT}`,
  REQUIRE_ADMIN_OTP: 'false',
  REQUIRE_APPROVALS: 'true',
  ADJUSTMENT_APPROVAL_LIMIT: `${APPROVAL_LIMIT}`,
  LOG_LEVEL: 'info',
  // Suites that run at the same time share the connections of the server.
  DATABASE_POOL_SIZE: '4',
};

type Running = ReturnType<Compiled['run']>;

/**
 * Three services on one database, with the limits of production: one of several processes, one whose clock is ahead and
 * whose statements are delayed, and one whose clock is behind and which stops in the middle of requests.
 */
describe('Several processes on one database', () => {
  const seeded = new Seeded('many processes');
  let compiled: Compiled;
  /** Creates people, without limits. */
  let service: TestService;
  let proxy: DelayingProxy;
  let cluster: Running;
  let stopping: Running;
  let running: Running[];
  let services: Api[];

  const serve = (settings: NodeJS.ProcessEnv): Running =>
    compiled.run('serve', { ...SETTINGS, DATABASE_URL: service.databaseUrl, ...settings });

  const skewed = (ms: number): NodeJS.ProcessEnv => ({
    NODE_OPTIONS: `--require ${join(__dirname, 'support', 'skewed-clock.cjs')}`,
    CLOCK_SKEW_MS: `${ms}`,
  });

  async function apiOf(started: Running): Promise<Api> {
    const listens = /listens on (\S+)/;
    const [, url] = await untilFound(() => listens.exec(started.out));
    return Api.ofCore(url!);
  }

  beforeAll(async () => {
    compiled = new Compiled();
    service = await startTestService();
    let maxDelayMs = 1; // until the service has started
    proxy = await DelayingProxy.before(service.databaseUrl, () => seeded.below(maxDelayMs));
    cluster = serve({ WEB_CONCURRENCY: `${PROCESSES}` });
    const delayed = serve({ DATABASE_URL: proxy.url, ...skewed(SKEW_MS) });
    stopping = serve(skewed(-SKEW_MS));
    running = [cluster, delayed, stopping];
    services = await Promise.all(running.map(apiOf));
    maxDelayMs = MAX_DELAY_MS;
  });
  afterAll(async () => {
    stopping?.signal('SIGCONT');
    for (const one of running ?? []) one.signal('SIGTERM');
    await Promise.all((running ?? []).map(({ ended }) => ended));
    await proxy?.close();
    await service?.stop();
    compiled?.stop();
  });

  /** A client that sends each request on a connection of its own, so that all processes get some. */
  const via = (address: string) => ({
    headers: { 'x-forwarded-for': address, 'x-forwarded-proto': 'https', connection: 'close' },
  });
  let addresses = 0;
  const aNetwork = (): string => `203.0.113.${(addresses += 1)}`;

  /**
   * Sends the same request many times at once, to services in a random order, while one of them stops and continues.
   * @returns how many responses had each status
   */
  async function atOnce(
    count: number,
    send: (api: Api, index: number) => Promise<Reply>,
  ): Promise<Record<number, number>> {
    const sent = Array.from({ length: count }, (_, index) => send(seeded.pick(services), index));
    const timer = setTimeout(() => stopping.signal('SIGSTOP'), seeded.below(30));
    const others = setTimeout(() => stopping.signal('SIGCONT'), 300);
    const replies = await Promise.all(sent);
    clearTimeout(timer);
    clearTimeout(others);
    stopping.signal('SIGCONT');
    const counts: Record<number, number> = {};
    for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1;
    return counts;
  }

  const login = (api: Api, email: string, body: object, address = aNetwork()): Promise<Reply> =>
    api.post('/v1/auth/login', { email, password: PASSWORD, ...body }, via(address));
  const authenticated = (api: Api, { token }: Pick<Person, 'token'>): Promise<Reply> =>
    api.as(token).get('/v1/auth/sessions', via(aNetwork()));

  it('allow exactly the limit of failed logins', async () => {
    const { email } = await aUser(service.api);
    const address = aNetwork();
    const counts = await atOnce(AT_ONCE * 2, (api) => login(api, email, { password: WRONG }, address));
    expect(counts).toEqual({ 401: 10, 429: AT_ONCE * 2 - 10 });
    for (const api of services) expect((await login(api, email, {}, address)).status).toBe(429);
    expect((await login(services[0]!, email, {})).status).toBe(200);
  });

  it('allow exactly the limit of sign-ups', async () => {
    const address = aNetwork();
    const counts = await atOnce(AT_ONCE, (api) =>
      api.post('/v1/users', { email: someEmail(), password: PASSWORD }, via(address)),
    );
    expect(counts).toEqual({ 201: SIGN_UP_LIMIT, 429: AT_ONCE - SIGN_UP_LIMIT });
  });

  /** @returns the secret of an authenticator app, whose code of half a minute ago is used, and a recovery code */
  async function enrolled({ api }: Person): Promise<{ secret: string; recoveryCode: string }> {
    const { secret } = (await api.post('/v1/auth/otp', { password: PASSWORD })).body;
    const otp = () => codeAt(secret, new Date(Date.now() - 30_000)); // which may end before it is sent
    const confirm = async () => (await api.post('/v1/auth/otp/confirmation', { otp: otp() })).body;
    const [recoveryCode] = await untilFound<string[]>(async () => (await confirm()).recovery_codes);
    return { secret, recoveryCode: recoveryCode! };
  }

  it('accept each code of a second factor and each recovery code once, and 5 wrong codes', async () => {
    const rounds = repetitions({ short: 3, long: 50 });
    for (let round = 0; round < rounds; round += 1) {
      const [user, guessed] = [await aUser(service.api), await aUser(service.api)];
      const { secret, recoveryCode } = await enrolled(user);
      const code = codeAt(secret, new Date()); // valid for each of the clocks
      const ofCode = await atOnce(AT_ONCE, (api) => login(api, user.email, { otp: code }));
      expect(ofCode).toEqual({ 200: 1, 401: AT_ONCE - 1 });
      const ofRecovery = await atOnce(AT_ONCE, (api) => login(api, user.email, { otp: recoveryCode }));
      expect(ofRecovery[200]).toBe(1); // the others are wrong codes, few of which are allowed

      const other = await enrolled(guessed);
      const valid = [-60, -30, 0, 30, 60].map((s) => codeAt(other.secret, new Date(Date.now() + s * 1000)));
      const otp = ['000000', '111111', '222222', '333333', '444444', '555555'].find(
        (code) => !valid.includes(code),
      );
      const guesses = await atOnce(AT_ONCE, (api) => login(api, guessed.email, { otp }));
      expect(guesses).toEqual({ 401: 5, 429: AT_ONCE - 5 });
    }
  });

  it('refresh a session at once without an end, and end it for all of them at a late repeat', async () => {
    const rounds = repetitions({ short: 3, long: 50 });
    let refused = 0;
    for (let round = 0; round < rounds; round += 1) {
      const user = await aUser(service.api);
      const refresh = (api: Api) =>
        api.post('/v1/auth/refresh', { refresh_token: user.refreshToken }, via(aNetwork()));
      expect(await atOnce(AT_ONCE, refresh)).toEqual({ 200: AT_ONCE });
      expect(await atOnce(AT_ONCE, (api) => authenticated(api, user))).toEqual({ 200: AT_ONCE });
      await service.sql(`UPDATE refresh_tokens SET used_at = used_at - interval '1 minute'`);
      expect((await refresh(services[round % 3]!)).status).toBe(401);
      const after = await atOnce(AT_ONCE, (api) => authenticated(api, user));
      expect(after).toEqual({ 401: AT_ONCE });
      refused += AT_ONCE;
    }
    report('sessions ended on one process', { refused, accepted: 0 });
  });

  it('refuse a session that another process has ended, also in requests that came while one stood still', async () => {
    for (const ending of services.slice(0, 2)) {
      const user = await aUser(service.api);
      stopping.signal('SIGSTOP');
      const waiting = Array.from({ length: 4 }, () => authenticated(services[2]!, user));
      const ended = await ending.as(user.token).delete('/v1/auth/session', undefined, via(aNetwork()));
      expect(ended.status).toBe(200);
      stopping.signal('SIGCONT');
      expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([401, 401, 401, 401]);
      expect(await atOnce(AT_ONCE, (api) => authenticated(api, user))).toEqual({ 401: AT_ONCE });
    }
  });

  it('decide an approval once, and never by the admin who asked', async () => {
    const [first, second, third] = [
      await anAdminWhoSignedUp(service.api),
      await anAdminWhoSignedUp(service.api),
      await anAdminWhoSignedUp(service.api),
    ];
    const owner: Owner = await anOwner(service.api);
    const adjustments = `/v1/accounts/${owner.accountId}/adjustments`;
    const rounds = repetitions({ short: 4, long: 50 });
    let posted = 0;
    for (let round = 0; round < rounds; round += 1) {
      const amount = APPROVAL_LIMIT + 1;
      const body = { amount, currency: 'USD', direction: 'credit', reason: 'A fee was charged twice.' };
      const { approval_id } = (
        await services[round % 3]!.as(first.token).post(adjustments, body, via(aNetwork()))
      ).body;
      const decide = (api: Api, by: Person, verb: string): Promise<Reply> =>
        api.as(by.token).post(`/v1/approvals/${approval_id}/${verb}`, { reason: 'Seen.' }, via(aNetwork()));
      const own = await atOnce(AT_ONCE, (api) => decide(api, first, 'approve'));
      expect(own).toEqual({ 403: AT_ONCE });
      const decisions: string[] = [];
      const counts = await atOnce(AT_ONCE, async (api, index) => {
        const verb = index % 2 === 0 ? 'approve' : 'reject';
        const by = seeded.pick([second, third]);
        const reply = await decide(api, by, verb);
        if (reply.status === 200) decisions.push(`${verb} by ${by.id}`);
        return reply;
      });
      expect(Object.keys(counts)).toEqual(['200', '409']);
      expect(new Set(decisions).size).toBe(1); // a repeat of the same decision may be answered again
      if (decisions[0]!.startsWith('approve')) posted += amount;
    }
    const { body } = await first.api.get(`/v1/accounts/${owner.accountId}/balance`);
    expect(body.posted).toBe(posted);
  });
});
