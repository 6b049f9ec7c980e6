import { createHmac } from 'node:crypto';
import {
  ApiError,
  ConnectionError,
  Countinghouse,
  verifyWebhook,
  WaitTimeoutError,
  WebhookVerificationError,
} from '../../client/src/index.js';
import { anOwner, Owner, PASSWORD } from '../support/people';
import { aPaymentRequest, aTransaction } from '../support/request-bodies';
import { ADMIN, startTestService, TestService } from '../support/service';
import { CuttingProxy } from './cutting-proxy';

const FAST = { baseDelayMs: 5, maxDelayMs: 20 };

describe('The client', () => {
  let service: TestService;
  let owner: Owner;
  let client: Countinghouse;

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
    client = clientOf({});
  });
  afterAll(() => service.stop());

  const loginOf = ({ email }: { email: string }) => ({ login: { email, password: PASSWORD } });
  const clientOf = (options: Partial<ConstructorParameters<typeof Countinghouse>[0]>) =>
    new Countinghouse({ baseUrl: service.url, credentials: loginOf(owner), retry: FAST, ...options });
  const body = (reference: string) => aTransaction(owner.accountId, { reference }) as never;

  /** Sends a client's requests and counts them by path; `answer` may answer in place of the service. */
  function counting(answer: (count: number, request: Request) => Response | undefined = () => undefined) {
    const counts: Record<string, number> = {};
    const send = (request: Request, init?: RequestInit): Promise<Response> => {
      const { pathname } = new URL(request.url);
      const count = (counts[pathname] ?? 0) + 1;
      counts[pathname] = count;
      return Promise.resolve(answer(count, request) ?? fetch(request, init));
    };
    return { counts, send };
  }

  const errorOf = async (call: Promise<unknown>): Promise<unknown> =>
    call.then(
      () => null,
      (error: unknown) => error,
    );

  it('creates 500 of 500 transactions through a proxy that cuts connections', async () => {
    const proxy = await CuttingProxy.before(service.url, { every: 7 });
    const cut = clientOf({ baseUrl: proxy.url });
    const references = Array.from({ length: 500 }, (_, index) => `cut-${index}`);
    await Promise.all(
      Array.from({ length: 10 }, async (_, worker) => {
        for (const reference of references.slice(worker * 50, worker * 50 + 50)) {
          await cut.post('/v1/transactions', { body: body(reference) });
        }
      }),
    );
    const found: (string | null)[] = [];
    const query = { view: 'full', limit: 100 } as const;
    for await (const item of cut.list('/v1/transactions', { params: { query } })) {
      if ('reference' in item && item.reference?.startsWith('cut-')) found.push(item.reference);
    }
    proxy.close();
    expect(found.toSorted()).toEqual(references.toSorted());
    expect(proxy.cuts).toBeGreaterThan(70);
  });

  it('repeats a request after 503 and 429, not before Retry-After, with the same idempotency key', async () => {
    const keys: (string | null)[] = [];
    const { send } = counting((count, { url, headers }) => {
      if (!url.endsWith('/v1/transactions')) return undefined;
      keys.push(headers.get('idempotency-key'));
      if (count === 1) return Response.json({ error: 'unavailable', message: '' }, { status: 503 });
      const limited = { status: 429, headers: { 'retry-after': '1' } };
      return count === 2 ? Response.json({ error: 'rate_limited', message: '' }, limited) : undefined;
    });
    const started = performance.now();
    await clientOf({ fetch: send }).post('/v1/transactions', { body: body('repeated') });
    expect(performance.now() - started).toBeGreaterThan(990);
    expect([keys.length, new Set(keys).size]).toEqual([3, 1]);
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('does not wait for a Retry-After that is later than an attempt may take', async () => {
    const { counts, send } = counting(() =>
      Response.json(
        { error: 'rate_limited', message: '' },
        { status: 429, headers: { 'retry-after': '900' } },
      ),
    );
    const error = await errorOf(clientOf({ fetch: send }).get('/v1/account'));
    expect(error).toMatchObject({ code: 'rate_limited', status: 429 });
    expect(Object.values(counts)).toEqual([1]);
  });

  it('repeats no POST without an idempotency key after a lost connection', async () => {
    const { counts, send } = counting((_, { url }) => {
      if (url.endsWith('/v1/auth/password')) throw new TypeError('fetch failed');
      return undefined;
    });
    const change = { current_password: PASSWORD, password: PASSWORD };
    const error = await errorOf(clientOf({ fetch: send }).post('/v1/auth/password', { body: change }));
    expect(error).toBeInstanceOf(ConnectionError);
    expect(counts['/v1/auth/password']).toBe(1);
  });

  it('gives up after the last attempt, and at once when it is aborted', async () => {
    const { counts, send } = counting(() =>
      Response.json({ error: 'unavailable', message: '' }, { status: 503 }),
    );
    const options = { fetch: send, credentials: undefined, retry: { ...FAST, attempts: 3 } };
    expect(await errorOf(clientOf(options).get('/health/ready'))).toMatchObject({ code: 'unavailable' });
    expect(counts['/health/ready']).toBe(3);
    const signal = AbortSignal.abort(new Error('stop'));
    expect(await errorOf(clientOf({}).get('/v1/account', { signal }))).toEqual(new Error('stop'));
  });

  it('logs in once for many requests, and refreshes once when the token has expired', async () => {
    const { counts, send } = counting();
    const many = clientOf({ fetch: send });
    const readMany = () => Promise.all(Array.from({ length: 20 }, () => many.get('/v1/account')));
    await readMany();
    service.clock.move({ minutes: 16 });
    const accounts = await readMany();
    expect(accounts.every(({ id }) => id === owner.accountId)).toBe(true);
    expect([counts['/v1/auth/login'], counts['/v1/auth/refresh']]).toEqual([1, 1]);
  });

  it('continues with the tokens of an earlier login, and logs in again when its session has ended', async () => {
    const { body: tokens } = await service.api.post('/v1/auth/login', {
      email: owner.email,
      password: PASSWORD,
    });
    const kept: string[] = [];
    const onTokens = ({ access_token: token }: { access_token: string }): void => void kept.push(token);
    const resumed = clientOf({ credentials: { tokens, onTokens } });
    await resumed.delete('/v1/auth/session');
    expect(await errorOf(resumed.get('/v1/account'))).toMatchObject({ status: 401 });
    expect(kept).toEqual([]);

    const loggedIn = clientOf({ credentials: { ...loginOf(owner), onTokens } });
    await loggedIn.delete('/v1/auth/session');
    expect(await loggedIn.get('/v1/account')).toMatchObject({ id: owner.accountId });
    expect(kept).toHaveLength(2);
  });

  it('throws errors that are typed by code', async () => {
    const error = await errorOf(
      client.post('/v1/transactions', {
        body: { ...(body('none') as object), type: 'refund', amount: 10 ** 12 } as never,
      }),
    );
    expect(error).toBeInstanceOf(ApiError);
    const refused = error as ApiError;
    expect([refused.is('insufficient_funds'), refused.is('not_found'), refused.status]).toEqual([
      true,
      false,
      402,
    ]);
    expect(refused.requestId).toMatch(/^[\w-]+$/);
    const { send } = counting(() => new Response('<html>', { status: 502 }));
    const proxied = await errorOf(clientOf({ fetch: send, credentials: undefined }).get('/health/live'));
    expect(proxied).toMatchObject({ code: 'unknown', status: 502 });
  });

  it('walks page lists and cursor lists, also towards newer items', async () => {
    const admin = clientOf({ credentials: { login: ADMIN } });
    const accounts: string[] = [];
    for await (const { id } of admin.list('/v1/accounts', { params: { query: { limit: 1 } } }))
      accounts.push(id);
    const { data } = await admin.get('/v1/accounts', { params: { query: { limit: 100 } } });
    expect(accounts).toEqual(data.map(({ id }) => id));

    const ids: string[] = [];
    for (const reference of ['a', 'b', 'c', 'd']) {
      ids.push(
        (
          await client.post('/v1/payments', {
            body: aPaymentRequest(owner.accountId, { reference }) as never,
          })
        ).id,
      );
    }
    const newer: string[] = [];
    const query = { ending_before: ids[0]!, limit: 2 };
    for await (const { id } of client.list('/v1/payments', { params: { query } })) newer.push(id);
    expect(newer).toEqual(ids.slice(1));
  });

  it('waits for the end of a payment request', async () => {
    const { id } = await client.post('/v1/payments', { body: aPaymentRequest(owner.accountId) as never });
    const late = await errorOf(client.waitForPayment(id, { timeoutMs: 20, intervalMs: 10 }));
    expect(late).toBeInstanceOf(WaitTimeoutError);
    const ended = client.waitForPayment(id, { intervalMs: 10 });
    await client.delete('/v1/payments/{payment_id}', { params: { path: { payment_id: id } } });
    expect(await ended).toMatchObject({ id, status: 'canceled' });
  });
});

describe('verifyWebhook', () => {
  const secret = `whsec_${Buffer.from('a secret of the endpoint').toString('base64')}`;
  const now = new Date('2026-01-31T09:30:00Z');
  const payload = '{"type":"transaction.created"}';
  const timestamp = String(now.getTime() / 1000);
  const signature = createHmac('sha256', 'a secret of the endpoint')
    .update(`evt_1.${timestamp}.${payload}`)
    .digest('base64');
  const headers = {
    'webhook-id': 'evt_1',
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,AAAA v1,${signature}`,
  };

  it('returns the event of a webhook with a right signature', async () => {
    expect(await verifyWebhook(payload, headers, secret, { now })).toEqual({ type: 'transaction.created' });
    const bytes = new TextEncoder().encode(payload);
    expect(await verifyWebhook(bytes, new Headers(headers), secret, { now })).toEqual({
      type: 'transaction.created',
    });
  });

  it.each([
    ['another payload', `${payload} `, headers, now],
    ['another id', payload, { ...headers, 'webhook-id': 'evt_2' }, now],
    ['a wrong signature', payload, { ...headers, 'webhook-signature': `v1,${'A'.repeat(44)}` }, now],
    ['a signature that is no base64', payload, { ...headers, 'webhook-signature': 'v1,%' }, now],
    ['no signature', payload, { ...headers, 'webhook-signature': undefined }, now],
    ['a time that is no number', payload, { ...headers, 'webhook-timestamp': 'x' }, now],
    ['an old time', payload, headers, new Date(now.getTime() + 301_000)],
    ['a time ahead', payload, headers, new Date(now.getTime() - 301_000)],
  ])('rejects %s', async (_, text, given, at) => {
    await expect(verifyWebhook(text, given, secret, { now: at })).rejects.toBeInstanceOf(
      WebhookVerificationError,
    );
  });
});
