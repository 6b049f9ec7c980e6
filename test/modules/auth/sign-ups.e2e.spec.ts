import { PasswordHasherService } from '../../../src/modules/auth/application/password-hasher.service';
import { Reply } from '../../support/api';
import { anAccount, anOperator, aUser, created, PASSWORD, Person, someEmail } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const LIMIT = 5;
/** Hashes that the flood of sign-ups keeps waiting. */
const FLOOD = 60;

const account = { name: 'Lovelace Ltd', type: 'business' };

describe('Sign-ups', () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({
      TRUSTED_PROXIES: '127.0.0.1',
      SIGN_UP_LIMIT: String(LIMIT),
      BCRYPT_COST: '9',
    });
  });
  beforeEach(() => service.sql('DELETE FROM shared_limits'));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => service.stop());

  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? 'ok'}`;
  const from = (address: string) => ({ headers: { 'x-forwarded-for': address } });
  const signUp = (address: string, email = someEmail(), path = '/v1/users') =>
    service.api.post(
      path,
      { email, password: PASSWORD, ...(path === '/v1/accounts' && account) },
      from(address),
    );

  it.each(['/v1/users', '/v1/accounts'])('POST %s rejects an email in use without a hash', async (path) => {
    const email = someEmail();
    expect((await signUp('203.0.113.1', email, path)).status).toBe(201);
    const hash = jest.spyOn(PasswordHasherService.prototype, 'hash');
    expect(outcome(await signUp('203.0.113.1', email.toUpperCase(), path))).toBe('409 email_exists');
    expect(hash).not.toHaveBeenCalled();
  });

  it('repeats the response of a stored sign-up without a hash', async () => {
    const body = { email: someEmail(), password: PASSWORD };
    const headers = { 'idempotency-key': 'a key' };
    const first = await service.api.post('/v1/users', body, { headers });
    const hash = jest.spyOn(PasswordHasherService.prototype, 'hash');
    const repeat = await service.api.post('/v1/users', body, { headers });
    expect([repeat.status, repeat.text]).toEqual([201, first.text]);
    expect(hash).not.toHaveBeenCalled();
  });

  it('are limited per client network, in sum for users, accounts and rejected emails', async () => {
    const { email } = await aUser(service.api);
    const paths = ['/v1/users', '/v1/accounts'];
    const replies = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        signUp('203.0.113.2', index % 3 ? someEmail() : email, paths[index % 2]),
      ),
    );
    const limited = replies.filter(({ status }) => status === 429);
    expect(replies).toHaveLength(limited.length + LIMIT);
    for (const { body, headers } of limited) {
      expect(body.error).toBe('rate_limited');
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(900);
    }
    expect((await signUp('203.0.113.3')).status).toBe(201);
  });

  it.each<[string, (owner: Person, email: string) => Promise<Reply>]>([
    ['PATCH /v1/account', ({ api }, email) => api.patch('/v1/account', { email })],
    [
      'POST /v1/auth/email',
      ({ api }, email) => api.post('/v1/auth/email', { email, current_password: PASSWORD }),
    ],
  ])('share their limit with changes of the own email by %s', async (_, changeEmail) => {
    const [owner, other] = [await anAccount(service.api), await anAccount(service.api)];
    await service.sql('DELETE FROM shared_limits');
    const outcomes = [];
    for (let index = 0; index <= LIMIT; index += 1)
      outcomes.push(outcome(await changeEmail(owner, other.email)));
    expect(outcomes).toEqual([...Array<string>(LIMIT).fill('409 email_exists'), '429 rate_limited']);
    expect((await owner.api.patch('/v1/account', { name: 'King Ltd' })).status).toBe(200);
  });

  it('count all addresses of an IPv6 network of 64 bits as one client', async () => {
    const statuses = [];
    for (let index = 0; index <= LIMIT; index += 1)
      statuses.push((await signUp(`2001:db8:0:1::${index}`)).status);
    expect(statuses).toEqual([...Array<number>(LIMIT).fill(201), 429]);
    expect((await signUp('2001:db8:0:2::1')).status).toBe(201);
  });

  it('do not limit admins and platform systems', async () => {
    const { api } = await anOperator(service.api, 'admin');
    for (let index = 0; index <= LIMIT; index += 1)
      await created(api, '/v1/users', { email: someEmail(), password: PASSWORD });
  });

  it('do not delay logins from elsewhere', async () => {
    const unlimited = await service.replica({ SIGN_UP_LIMIT: '0', BCRYPT_COST: '9' });
    try {
      const { email } = await aUser(unlimited.api);
      const timed = async (path: string, body: object, address: string): Promise<number> => {
        const start = performance.now();
        expect([200, 201]).toContain((await unlimited.api.post(path, body, from(address))).status);
        return performance.now() - start;
      };
      let flooding = true;
      const signUps: number[] = [];
      const flood = Array.from({ length: FLOOD }, async () => {
        const body = () => ({ email: someEmail(), password: PASSWORD });
        while (flooding) signUps.push(await timed('/v1/users', body(), '203.0.113.4'));
      });
      while (signUps.length < FLOOD) await new Promise(setImmediate);
      const logins: number[] = [];
      for (let index = 0; index < 6; index += 1)
        logins.push(await timed('/v1/auth/login', { email, password: PASSWORD }, '203.0.113.5'));
      flooding = false;
      await Promise.all(flood);
      expect(median(logins)).toBeLessThan(median(signUps) / 2);
    } finally {
      await unlimited.stop();
    }
  });
});

function median(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)]!;
}
