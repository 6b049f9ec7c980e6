import { ConfigError } from '../../../src/platform/config/settings';
import { describeOnOneServer } from '../../support/citus';
import { anAccount, created, logIn, Owner, Person, theAdmin } from '../../support/people';
import { ADMIN, startTestService, TestService } from '../../support/service';

const PAYMENT = { amount: 1250, currency: 'USD', type: 'payment' };
const TEST = { TEST_OPERATIONS: 'true' };

describeOnOneServer('Test operations', 'they empty the tables of one server', () => {
  let service: TestService;
  let admin: Person;
  let account: Owner;

  beforeAll(async () => {
    service = await startTestService({ ...TEST, RUN_WORKER: 'true' });
  });
  afterAll(() => service.stop());
  beforeEach(async () => {
    admin = await theAdmin(service.api);
    account = await anAccount(service.api);
  });
  afterEach(async () => {
    admin = await theAdmin(service.api);
    expect((await admin.api.post('/v1/test/reset', {})).status).toBe(200);
  });

  const aRequest = async (members: object = {}): Promise<string> => {
    const { accountId: account_id, api } = account;
    const body = { account_id, amount: 1250, currency: 'USD', customer_email: 'c@example.com', ...members };
    return (await created(api, '/v1/payments', body)).id;
  };
  const test = (path: string, body: object) => admin.api.post(`/v1/test/${path}`, body);

  describe('that move the clock', () => {
    it('settle, expire and bill what is due before they respond, beside the background work', async () => {
      const { accountId: account_id, email } = account;
      const request = { account_id, amount: 1250, currency: 'USD', customer_email: 'c@example.com' };
      const { id } = await created(account.api, '/v1/transactions', { ...PAYMENT, account_id });
      const paymentId = await aRequest();
      await created(account.api, '/v1/subscriptions', { ...request, interval: 'month' });
      const before = Date.now();
      const { body } = await test('clock', { advance: '1 month' });
      expect(Date.parse(body.now) - before).toBeGreaterThan(27 * 86_400_000);
      const { api } = await logIn(service.api, email);
      expect((await api.get(`/v1/transactions/${id}`)).body.status).toBe('succeeded');
      expect((await api.get('/v1/payments')).body.data).toHaveLength(3);
      await (await theAdmin(service.api)).api.post('/v1/test/clock', { advance: '4 days' });
      expect((await api.get(`/v1/payments/${paymentId}`)).status).toBe(401); // the token has ended
      const later = await logIn(service.api, email);
      expect((await later.api.get(`/v1/payments/${paymentId}`)).body.status).toBe('canceled');
    });

    it('move it to a moment', async () => {
      const at = new Date(Date.now() + 90_000_000).toISOString();
      const { body } = await test('clock', { at });
      expect(Date.parse(body.now) - Date.parse(at)).toBeLessThan(30_000);
      expect(Date.parse(body.now)).toBeGreaterThanOrEqual(Date.parse(at));
    });

    it.each([
      [{}],
      [{ advance: '1 day', at: '2999-01-01T00:00:00Z' }],
      [{ advance: 'a month' }],
      [{ advance: 1 }],
      [{ advance: '999999 years' }],
      [{ at: '2020-01-01T00:00:00Z' }],
      [{ at: '9001-01-01T00:00:00Z' }],
      [{ at: 'tomorrow' }],
      [{ advance: '1 day', by: 'me' }],
    ])('reject %j', async (body) => {
      const reply = await test('clock', body);
      expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
    });
  });

  describe('that end payment requests', () => {
    it.each(['succeeded', 'failed'])('let one be %s as its customer would', async (outcome) => {
      const id = await aRequest();
      const { body } = await test(`payments/${id}/outcome`, { outcome });
      expect(body).toEqual({ id, status: outcome });
      const posted = outcome === 'succeeded' ? 1250 : 0;
      expect((await account.api.get('/v1/account/balance')).body.posted).toBe(posted);
      expect((await account.api.get(`/v1/events?object_id=${id}`)).body.data[0].type).toBe(
        `payment_request.${outcome}`,
      );
      const again = await test(`payments/${id}/outcome`, { outcome });
      expect([again.status, again.body.error]).toEqual([409, 'conflict']);
    });

    it('decline attempts, of which the fifth fails the request', async () => {
      const id = await aRequest();
      const statuses: string[] = [];
      for (let attempt = 1; attempt <= 5; attempt++)
        statuses.push((await test(`payments/${id}/outcome`, { outcome: 'declined' })).body.status);
      expect(statuses).toEqual(['pending', 'pending', 'pending', 'pending', 'failed']);
    });

    it('reject an expired request, a suspended account and an unknown outcome', async () => {
      const expires_at = new Date(Date.now() + 600_000).toISOString();
      const expiring = await aRequest({ expires_at });
      const id = await aRequest();
      const statusOf = async (path: string, outcome: string) =>
        (await test(`payments/${path}/outcome`, { outcome })).status;
      expect(await statusOf(id, 'canceled')).toBe(400);
      await admin.api.patch(`/v1/accounts/${account.accountId}`, { status: 'suspended' });
      expect(await statusOf(id, 'succeeded')).toBe(403);
      service.clock.move({ minutes: 11 });
      expect(await statusOf(expiring, 'succeeded')).toBe(409);
    });
  });

  describe('that script faults', () => {
    const create = (headers: Record<string, string> = {}) =>
      account.api.post('/v1/transactions', { ...PAYMENT, account_id: account.accountId }, { headers });
    const count = async () => (await account.api.get('/v1/transactions')).body.data.length;

    it('let an operation be rate limited and unavailable, one after another, and change nothing', async () => {
      await test('faults', {
        operation: 'POST /v1/transactions',
        fault: 'rate_limited',
        retry_after_seconds: 7,
      });
      await test('faults', { operation: 'createTransaction', fault: 'unavailable', times: 2 });
      const replies = [await create(), await create(), await create()];
      expect(replies.map(({ status }) => status)).toEqual([429, 503, 503]);
      expect(replies.map(({ body }) => body.error)).toEqual(['rate_limited', 'unavailable', 'unavailable']);
      expect(replies.map(({ headers }) => headers.get('retry-after'))).toEqual(['7', '1', '1']);
      expect(service.logged.filter((line) => line.includes('"level":50'))).toEqual([]);
      expect(await count()).toBe(0);
      expect((await create()).status).toBe(201);
      expect((await admin.api.get('/v1/test/faults')).body).toEqual({ data: [] });
    });

    it('let a response be lost after the commit, so that a repeat with the key returns it', async () => {
      await test('faults', { operation: 'POST /v1/transactions', fault: 'lost_response' });
      const headers = { 'Idempotency-Key': 'invoice-7' };
      await expect(create(headers)).rejects.toThrow('fetch failed');
      expect(await count()).toBe(1);
      const repeat = await create(headers);
      expect([repeat.status, repeat.headers.get('idempotency-replayed')]).toEqual([201, 'true']);
      expect(await count()).toBe(1);
    });

    it('let a response be slow, and that of no other operation', async () => {
      const operation = 'GET /v1/transactions/{transaction_id}';
      const { id } = (await create()).body;
      await test('faults', { operation, fault: 'slow_response', delay_ms: 300 });
      const started = performance.now();
      await count();
      const undelayed = performance.now() - started;
      expect((await account.api.get(`/v1/transactions/${id}`)).status).toBe(200);
      expect(performance.now() - started - undelayed).toBeGreaterThan(290);
    });

    it('list what has not taken effect, and remove it', async () => {
      const { body } = await test('faults', {
        operation: 'createTransaction',
        fault: 'unavailable',
        times: 3,
      });
      await create();
      expect((await admin.api.get('/v1/test/faults')).body.data).toEqual([{ ...body, remaining: 2 }]);
      expect(body).toEqual({
        operation: 'POST /v1/transactions',
        fault: 'unavailable',
        remaining: 3,
        delay_ms: null,
        retry_after_seconds: 1,
      });
      await admin.api.delete('/v1/test/faults');
      expect((await create()).status).toBe(201);
    });

    it.each([
      [{ operation: 'POST /v1/transaction', fault: 'unavailable' }],
      [{ operation: 'POST /v1/test/reset', fault: 'unavailable' }],
      [{ operation: 'createTransaction', fault: 'broken' }],
      [{ operation: 'createTransaction', fault: 'unavailable', times: 0 }],
      [{ operation: 'createTransaction', fault: 'unavailable', times: 1.5 }],
      [{ operation: 'createTransaction', fault: 'unavailable', delay_ms: 10 }],
      [{ operation: 'createTransaction', fault: 'lost_response', retry_after_seconds: 10 }],
      [{ operation: 'createTransaction', fault: 'slow_response', delay_ms: 60_001 }],
      [{ operation: 'createTransaction', fault: 'slow_response', delay: 1 }],
      [{ fault: 'unavailable' }],
    ])('reject %j', async (body) => {
      const reply = await test('faults', body);
      expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
      expect((await admin.api.get('/v1/test/faults')).body.data).toEqual([]);
    });
  });

  it('reset the service while its background work runs: data, time, faults and sessions', async () => {
    const id = await aRequest();
    await test('faults', { operation: 'listUsers', fault: 'unavailable' });
    await test('clock', { advance: '1 year' });
    admin = await theAdmin(service.api);
    await test('reset', {});
    expect((await admin.api.get('/v1/users')).status).toBe(401);
    admin = await theAdmin(service.api);
    expect((await admin.api.get('/v1/users')).body.data).toMatchObject([{ email: ADMIN.email }]);
    expect((await admin.api.get(`/v1/payments/${id}`)).status).toBe(404);
    expect(Math.abs(service.clock.now().getTime() - Date.now())).toBeLessThan(1_000);
  });

  it('keep what the database contained at a start', async () => {
    const again = await service.replica();
    await created(again.api, '/v1/users', { email: 'late@example.com', password: 'correct horse battery' });
    const { api } = await theAdmin(again.api);
    await api.post('/v1/test/reset', {});
    await again.stop();
    await expect(logIn(service.api, 'late@example.com')).rejects.toThrow('401');
    expect((await logIn(service.api, account.email)).id).toBe(account.id);
  });
});

describe('TEST_OPERATIONS', () => {
  it('is rejected with a processor that moves real money', async () => {
    const start = startTestService({ ...TEST, PROCESSOR: 'manual' });
    await expect(start).rejects.toThrow(ConfigError);
    await expect(start).rejects.toThrow(
      'TEST_OPERATIONS: must be false with a processor that moves real money',
    );
  });
});
