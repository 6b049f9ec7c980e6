import { ISO_MS, outcome, startWithCast } from '../../support/account-owned';
import { Api, Reply } from '../../support/api';
import { aPaymentRequest } from '../../support/request-bodies';
import { anOwner, created, logIn, Owner, PASSWORD, Person, someEmail } from '../../support/people';
import { submitOutcome } from '../../support/payment-page';
import { TestService } from '../../support/service';
import { eventually } from '../../support/until';

const DAY_MS = 86_400_000;
const PATH = '/v1/payments';

/** Tests interface 4.5 and the further operations on the service that `start` starts. */
export function paymentRequestsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let admin: Person;

  beforeAll(async () => {
    ({ service, owner, admin } = await startWithCast(start));
  });
  afterAll(() => service.stop());

  const create = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
    api.post(PATH, aPaymentRequest(owner.accountId, members));
  const inDays = (days: number): string =>
    new Date(service.clock.now().getTime() + days * DAY_MS).toISOString();

  describe('POST /v1/payments', () => {
    it('creates a pending payment request, with defaults for optional members', async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expect(body).toStrictEqual({
        id: expect.stringMatching(/^pay_[0-9a-z]{26}$/),
        account_id: owner.accountId,
        amount: 1250,
        currency: 'USD',
        status: 'pending',
        customer_email: 'customer@example.com',
        reference: null,
        metadata: {},
        created_at: expect.stringMatching(ISO_MS),
        payment_url: expect.any(String),
      });
    });

    it('returns all members as sent', async () => {
      const sent = {
        amount: 9_007_199_254_740_991,
        customer_email: 'Mixed.Case+tag@Example.COM',
        reference: 'invoice-1',
        metadata: { a: [1, { b: null }] },
      };
      const { body } = await create(sent);
      expect(body).toMatchObject(sent);
      expect((await owner.api.get(`${PATH}/${body.id}`)).body).toMatchObject(sent);
      expect((await create({ reference: null, metadata: null })).body).toMatchObject({
        reference: null,
        metadata: {},
      });
    });

    it('creates a link with a random secret', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, () => create()));
      const links = made.map(({ body }) => body.payment_url as string);
      expect(new Set(links).size).toBe(10);
      for (const { body } of made) {
        const [, secret] = /^https:\/\/pay\.countinghouse\.test\/pay\/([\w-]{43})$/.exec(body.payment_url)!;
        expect(Buffer.from(secret!, 'base64url')).toHaveLength(32);
        expect(body.payment_url).not.toContain(body.id.slice(4));
      }
    });

    it('builds the link from the configuration, not from the Host header', async () => {
      const { body } = await owner.api.post(PATH, aPaymentRequest(owner.accountId), {
        headers: {
          'x-forwarded-host': 'evil.example',
          forwarded: 'host=evil.example',
          'x-forwarded-proto': 'http',
        },
      });
      expect(body.payment_url).toMatch(/^https:\/\/pay\.countinghouse\.test\/pay\//);
    });

    it.each<object>([
      { customer_email: 'nobody' },
      { customer_email: 'a@' },
      { customer_email: '@example.com' },
      { customer_email: '' },
      { customer_email: 1 },
      { customer_email: ['a@example.com'] },
      { customer_email: 'a@example.com\r\nBcc: b@example.com' },
      { customer_email: 'Ada <ada@example.com>' },
      { customer_email: `${'a'.repeat(250)}@example.com` },
      { expires_at: 1 },
      { expires_at: '' },
      { expires_at: 'tomorrow' },
      { expires_at: '2999-13-01T00:00:00Z' },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: '2999-01-01T00:00:00Z' },
      { expires_at: '2026-12-24' },
      { payment_url: 'https://x' },
      { secret: 'x' },
      { type: 'payment' },
    ])('rejects %j', async (members) => {
      expect(outcome(await create(members))).toBe('400 invalid_request');
    });

    it("rejects another currency than the account's", async () => {
      expect(outcome(await create({ currency: 'EUR' }))).toBe('400 invalid_request');
      const european = await anOwner(service.api, { currency: 'EUR' });
      expect(
        outcome(await european.api.post(PATH, aPaymentRequest(european.accountId, { currency: 'EUR' }))),
      ).toBe('201 pending');
    });

    it('does not change the balance', async () => {
      const poor = await anOwner(service.api);
      await created(poor.api, PATH, aPaymentRequest(poor.accountId));
      const [row] = await service.sql('SELECT posted, held, pending_in FROM accounts WHERE id = $1', [
        poor.accountId,
      ]);
      expect(row).toEqual({ posted: '0', held: '0', pending_in: '0' });
      expect((await poor.api.get('/v1/transactions')).body.data).toEqual([]);
    });
  });

  describe('expires_at', () => {
    it('is 30 days ahead by default, and not in the response of the creation', async () => {
      const { body } = await create();
      expect(body).not.toHaveProperty('expires_at');
      const { expires_at, created_at } = (await owner.api.get(`${PATH}/${body.id}`)).body;
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * DAY_MS);
    });

    it('can be any time within a year', async () => {
      for (const days of [1 / 1440, 1, 364.9]) {
        const expires_at = inDays(days);
        const { status, body } = await create({ expires_at });
        expect(status).toBe(201);
        expect((await owner.api.get(`${PATH}/${body.id}`)).body.expires_at).toBe(expires_at);
      }
      expect(outcome(await create({ expires_at: inDays(-0.001) }))).toBe('400 invalid_request');
      expect(outcome(await create({ expires_at: inDays(367) }))).toBe('400 invalid_request');
    });

    it.each([
      ['an offset', (day: string) => `${day}T12:00:00+02:00`, (day: string) => `${day}T10:00:00.000Z`],
      [
        'an offset without a colon',
        (day: string) => `${day}T12:00:00-0230`,
        (day: string) => `${day}T14:30:00.000Z`,
      ],
      ['a comma', (day: string) => `${day}T12:00:00,5Z`, (day: string) => `${day}T12:00:00.500Z`],
      [
        'more digits than are kept',
        (day: string) => `${day}T12:00:00.123456789Z`,
        (day: string) => `${day}T12:00:00.123Z`,
      ],
      ['no seconds', (day: string) => `${day}T12:00Z`, (day: string) => `${day}T12:00:00.000Z`],
    ])('may be written with %s', async (_, written, meant) => {
      const day = inDays(10).slice(0, 10);
      const { status, body } = await create({ expires_at: written(day) });
      expect(status).toBe(201);
      expect((await owner.api.get(`${PATH}/${body.id}`)).body.expires_at).toBe(meant(day));
    });
  });

  it('are canceled when their account is closed', async () => {
    const closing = await anOwner(service.api);
    const { id } = await created(closing.api, PATH, aPaymentRequest(closing.accountId));
    await closing.api.delete('/v1/account');
    expect((await admin.api.get(`${PATH}/${id}/status`)).body.status).toBe('canceled');
  });

  describe('GET /v1/payments/{payment_id}/status', () => {
    it('returns the short shape', async () => {
      const made = await created(owner.api, PATH, aPaymentRequest(owner.accountId, { reference: 'r' }));
      const { status, body } = await owner.api.get(`${PATH}/${made.id}/status`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        id: made.id,
        status: 'pending',
        amount: 1250,
        currency: 'USD',
        reference: 'r',
        updated_at: made.created_at,
      });
    });
  });

  describe('GET /v1/payments/{payment_id}', () => {
    it('returns the created request with expires_at and updated_at', async () => {
      const made = await created(owner.api, PATH, aPaymentRequest(owner.accountId, { metadata: { a: 1 } }));
      const { status, body } = await owner.api.get(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        ...made,
        expires_at: expect.stringMatching(ISO_MS),
        updated_at: made.created_at,
      });
    });
  });

  it('names the transaction that paid a request, and returns whole objects with view=full', async () => {
    const payee = await anOwner(service.api);
    const [paid, pending] = [
      await created(payee.api, PATH, aPaymentRequest(payee.accountId)),
      await created(payee.api, PATH, aPaymentRequest(payee.accountId)),
    ];
    await admin.api.post(`${PATH}/${paid.id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    const [transaction] = (await payee.api.get('/v1/transactions')).body.data;
    const full = (await payee.api.get(`${PATH}?view=full`)).body.data;
    expect(full.map(({ transaction_id }: any) => transaction_id)).toEqual([undefined, transaction.id]);
    const { attempts: _, ...lastPaid } = (await payee.api.get(`${PATH}/${paid.id}`)).body;
    expect(full).toEqual([(await payee.api.get(`${PATH}/${pending.id}`)).body, lastPaid]);
    const short = (await payee.api.get(PATH)).body.data;
    expect(short).toStrictEqual([pending, { ...paid, status: 'succeeded' }]);
  });

  it('has the attempts to pay a request, only where it is retrieved', async () => {
    const { id } = await created(owner.api, PATH, aPaymentRequest(owner.accountId));
    const retrieved = async () => (await owner.api.get(`${PATH}/${id}`)).body;
    expect(await retrieved()).not.toHaveProperty('attempts');
    const attempt = { method: 'simulation', reason: null };
    const declined = { ...attempt, outcome: 'declined', reason: 'The customer chose a decline.' };
    const secret = (await retrieved()).payment_url.split('/').at(-1);
    for (const [declines, outcome] of (['declined', 'declined', 'succeeded'] as const).entries())
      await submitOutcome(`${service.url}/pay/${secret}`, outcome, declines);
    const { attempts, updated_at } = await retrieved();
    expect(attempts).toEqual([
      { ...declined, created_at: expect.any(String) },
      { ...declined, created_at: expect.any(String) },
      { ...attempt, outcome: 'succeeded', created_at: updated_at },
    ]);
    const { data } = (await owner.api.get(`/v1/events?object_id=${id}`)).body;
    for (const { object } of data) expect(object ?? {}).not.toHaveProperty('attempts');
  });

  it('says why a request failed, only where one is retrieved', async () => {
    const request = await created(owner.api, PATH, aPaymentRequest(owner.accountId));
    const settlement = { outcome: 'failed', amount: 1250 };
    const settled = await admin.api.post(`${PATH}/${request.id}/settlement`, settlement);
    const { body } = await owner.api.get(`${PATH}/${request.id}`);
    expect(body).toStrictEqual({
      ...settled.body,
      failure_reason: 'The payment was reported as failed.',
      attempts: [{ created_at: body.updated_at, method: 'reported', outcome: 'failed', reason: null }],
    });
    const { data } = (await owner.api.get(`${PATH}?view=full&limit=1`)).body;
    expect(data).toStrictEqual([settled.body]);
    expect(settled.body.failure_reason).toBeUndefined();
  });

  describe('The log', () => {
    it('contains no payment link, password, token or sent data', async () => {
      const email = someEmail();
      const password = `canary ${email}`;
      await created(service.api, '/v1/accounts', {
        email,
        password: 'canary of a password',
        name: 'Canary',
        type: 'business',
      });
      const { api, accountId, token, refreshToken } = {
        ...(await logIn(service.api, email, 'canary of a password')),
        accountId: '',
      };
      const account = (await api.get('/v1/account')).body;
      await service.api.post('/v1/auth/login', { email, password });
      const made = await created(
        api,
        PATH,
        aPaymentRequest(account.id, {
          customer_email: 'canary-customer@example.com',
          reference: 'canary-reference',
          metadata: { canary: 'canary-metadata' },
        }),
      );
      const secret = made.payment_url.split('/').at(-1) as string;
      const guesses = [
        await api.get(`${PATH}/${secret}`),
        await fetch(`${service.url}/pay/${secret}`),
        await api.get(`${PATH}?reference=${secret}&customer_email=canary-customer@example.com`),
        await api.get(`${PATH}?starting_after=${secret}`),
        await api.post(`${PATH}?${secret}=1`, {}),
        await api.post(PATH, aPaymentRequest(accountId, { reference: secret })),
      ];
      expect(guesses.map(({ status }) => status)).toEqual([404, 200, 200, 400, 400, 404]);
      const lines = (): string[] => service.logged.filter((line) => line.includes(account.id));
      await eventually(() => lines().length).toBeGreaterThanOrEqual(6);
      const log = service.logged.join('');
      for (const canary of [
        secret,
        password,
        'canary',
        token,
        refreshToken,
        token.split('.')[2]!,
        PASSWORD,
        email,
      ]) {
        expect(log.includes(canary)).toBe(false);
      }
    });
  });
}
