import { Api, Reply } from '../support/api';
import { aPaymentRequest, aTransaction } from '../support/movements';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../support/people';
import { TestService } from '../support/service';

const NO_SUCH_ACCOUNT = 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w';
const NO_SUCH_REQUEST = 'pay_01k9x8v2t4e6rb3m5n7p9q1s0w';
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const DAY_MS = 86_400_000;
const PATH = '/v1/payments';

/** Interface 4.5 and what goes beyond it, on any database that `start` brings the service up on. */
export function paymentRequestsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let stranger: Owner;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    service = await start();
    [owner, stranger, admin, platform] = await Promise.all([
      anOwner(service.api),
      anOwner(service.api),
      theAdmin(service.api),
      anOperator(service.api, 'platform'),
    ]);
  });
  afterAll(() => service.stop());

  const create = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
    api.post(PATH, aPaymentRequest(owner.accountId, members));
  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;
  const inDays = (days: number): string =>
    new Date(service.clock.now().getTime() + days * DAY_MS).toISOString();

  describe('POST /v1/payments', () => {
    it('answers 201 with the payment request, pending, and with what was not given as null and {}', async () => {
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

    it('keeps what was sent as it was sent', async () => {
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

    it('gives a link of its own to each, with a secret that is not the id', async () => {
      const made = await Promise.all(Array.from({ length: 10 }, () => create()));
      const links = made.map(({ body }) => body.payment_url as string);
      expect(new Set(links).size).toBe(10);
      for (const { body } of made) {
        const [, secret] = /^https:\/\/pay\.countinghouse\.test\/pay\/([\w-]{43})$/.exec(body.payment_url)!;
        expect(Buffer.from(secret!, 'base64url')).toHaveLength(32);
        expect(body.payment_url).not.toContain(body.id.slice(4));
      }
    });

    it('makes the link of the configuration, never of the Host header', async () => {
      const { body } = await owner.api.post(PATH, aPaymentRequest(owner.accountId), {
        headers: {
          'x-forwarded-host': 'evil.example',
          forwarded: 'host=evil.example',
          'x-forwarded-proto': 'http',
        },
      });
      expect(body.payment_url).toMatch(/^https:\/\/pay\.countinghouse\.test\/pay\//);
    });

    it.each(['account_id', 'amount', 'currency', 'customer_email'])(
      'without %s is refused',
      async (member) => {
        expect(outcome(await create({ [member]: undefined }))).toBe('400 invalid_request');
        expect(outcome(await create({ [member]: null }))).toBe('400 invalid_request');
      },
    );

    it.each<object>([
      { account_id: 7 },
      { amount: 0 },
      { amount: -1 },
      { amount: 1.5 },
      { amount: '100' },
      { amount: 2 ** 53 },
      { amount: 1e300 },
      { currency: 'usd' },
      { currency: 'ZZZ' },
      { currency: 1 },
      { customer_email: 'nobody' },
      { customer_email: 'a@' },
      { customer_email: '@example.com' },
      { customer_email: '' },
      { customer_email: 1 },
      { customer_email: ['a@example.com'] },
      { customer_email: 'a@example.com\r\nBcc: b@example.com' },
      { customer_email: 'Ada <ada@example.com>' },
      { customer_email: `${'a'.repeat(250)}@example.com` },
      { reference: 1 },
      { reference: 'x'.repeat(256) },
      { metadata: [] },
      { metadata: 'a' },
      { metadata: { a: { b: { c: { d: {} } } } } },
      { expires_at: 1 },
      { expires_at: '' },
      { expires_at: 'tomorrow' },
      { expires_at: '2999-13-01T00:00:00Z' },
      { expires_at: '2020-01-01T00:00:00Z' },
      { expires_at: '2999-01-01T00:00:00Z' },
      { expires_at: '2026-12-24' },
      { status: 'succeeded' },
      { payment_url: 'https://x' },
      { secret: 'x' },
      { id: 'pay_1' },
      { type: 'payment' },
    ])('with %j is refused', async (members) => {
      expect(outcome(await create(members))).toBe('400 invalid_request');
    });

    it("with another currency than the account's is invalid_request", async () => {
      expect(outcome(await create({ currency: 'EUR' }))).toBe('400 invalid_request');
      const european = await anOwner(service.api, { currency: 'EUR' });
      expect(
        outcome(await european.api.post(PATH, aPaymentRequest(european.accountId, { currency: 'EUR' }))),
      ).toBe('201 pending');
    });

    it('for an account that is unknown, malformed or foreign is account_not_found', async () => {
      for (const account_id of [NO_SUCH_ACCOUNT, 'acc_1', '', 'nonsense', stranger.accountId]) {
        expect(outcome(await create({ account_id }))).toBe('404 account_not_found');
      }
      expect(outcome(await create({ account_id: NO_SUCH_ACCOUNT }, admin.api))).toBe('404 account_not_found');
      expect(outcome(await create({}, (await aUser(service.api)).api))).toBe('404 account_not_found');
    });

    it('moves no money and expects none on the balance', async () => {
      const poor = await anOwner(service.api);
      await created(poor.api, PATH, aPaymentRequest(poor.accountId));
      const [row] = await service.sql('SELECT posted, held, pending_in FROM accounts WHERE id = $1', [
        poor.accountId,
      ]);
      expect(row).toEqual({ posted: '0', held: '0', pending_in: '0' });
      expect((await poor.api.get('/v1/transactions')).body.data).toEqual([]);
    });
  });

  describe('Its expiry', () => {
    it('is 30 days away when it is not given, and not in the creation answer', async () => {
      const { body } = await create();
      expect(body).not.toHaveProperty('expires_at');
      const { expires_at, created_at } = (await owner.api.get(`${PATH}/${body.id}`)).body;
      expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(30 * DAY_MS);
    });

    it('may be any moment within a year', async () => {
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

  describe("The account's status", () => {
    it.each([
      ['suspended', '403 forbidden'],
      ['pending', '201 pending'],
    ])('%s: %s, for anyone', async (status, expected) => {
      const person = await anOwner(service.api);
      const { id } = await created(person.api, PATH, aPaymentRequest(person.accountId));
      await admin.api.patch(`/v1/accounts/${person.accountId}`, { status });
      const again = await logIn(service.api, person.email);
      for (const { api } of [again, admin, platform]) {
        expect(outcome(await api.post(PATH, aPaymentRequest(person.accountId)))).toBe(expected);
      }
      expect((await again.api.get(`${PATH}/${id}/status`)).body.status).toBe('pending');
    });

    it('closed: none is taken, and what was pending is canceled', async () => {
      const closing = await anOwner(service.api);
      const { id } = await created(closing.api, PATH, aPaymentRequest(closing.accountId));
      await closing.api.delete('/v1/account');
      for (const { api } of [admin, platform]) {
        expect(outcome(await api.post(PATH, aPaymentRequest(closing.accountId)))).toBe('403 forbidden');
      }
      expect((await admin.api.get(`${PATH}/${id}/status`)).body.status).toBe('canceled');
    });

    it('fixes the currency with the first payment request', async () => {
      const person = await anOwner(service.api);
      expect((await person.api.patch('/v1/account', { settings: { currency: 'EUR' } })).status).toBe(200);
      await created(person.api, PATH, aPaymentRequest(person.accountId, { currency: 'EUR' }));
      expect(outcome(await person.api.patch('/v1/account', { settings: { currency: 'USD' } }))).toBe(
        '400 invalid_request',
      );
    });
  });

  describe('GET /v1/payments/{payment_id}/status', () => {
    it('answers the reduced shape', async () => {
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
    it('answers the creation answer with expires_at and updated_at; the link stays readable', async () => {
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

  describe('DELETE /v1/payments/{payment_id}', () => {
    it('cancels a pending one, once; it stays visible', async () => {
      const made = await created(owner.api, PATH, aPaymentRequest(owner.accountId));
      const { status, body } = await owner.api.delete(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        id: made.id,
        status: 'canceled',
        canceled_at: expect.stringMatching(ISO_MS),
        message: expect.any(String),
      });
      expect((await owner.api.get(`${PATH}/${made.id}/status`)).body).toMatchObject({
        status: 'canceled',
        updated_at: body.canceled_at,
      });
      expect(body.canceled_at > made.created_at).toBe(true);
      expect(outcome(await owner.api.delete(`${PATH}/${made.id}`))).toBe('409 not_cancellable');
    });

    it('lets one of many at once win', async () => {
      const { id } = await created(owner.api, PATH, aPaymentRequest(owner.accountId));
      const outcomes = (
        await Promise.all(Array.from({ length: 10 }, () => owner.api.delete(`${PATH}/${id}`)))
      ).map(outcome);
      expect(outcomes.toSorted()).toEqual([
        '200 canceled',
        ...Array.from({ length: 9 }, () => '409 not_cancellable'),
      ]);
    });
  });

  describe('Whose it is', () => {
    it('one that is unknown, malformed or foreign is not_found, for every operation', async () => {
      const { id } = await created(stranger.api, PATH, aPaymentRequest(stranger.accountId));
      const { id: transaction } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
      for (const path of [id, NO_SUCH_REQUEST, 'pay_1', 'nonsense', transaction, `${id}x`, "'%20OR%201=1"]) {
        expect(outcome(await owner.api.get(`${PATH}/${path}`))).toBe('404 not_found');
        expect(outcome(await owner.api.get(`${PATH}/${path}/status`))).toBe('404 not_found');
        expect(outcome(await owner.api.delete(`${PATH}/${path}`))).toBe('404 not_found');
      }
      expect((await stranger.api.get(`${PATH}/${id}`)).body.status).toBe('pending');
    });

    it('members, admins and platform systems act for the account, too', async () => {
      const member = await aMember(service.api, owner);
      for (const { api } of [member, admin, platform]) {
        const { id } = await created(api, PATH, aPaymentRequest(owner.accountId));
        expect((await api.get(`${PATH}/${id}`)).status).toBe(200);
        expect((await api.delete(`${PATH}/${id}`)).status).toBe(200);
      }
    });

    it('nobody does anything without a token', async () => {
      const { id } = (await create()).body;
      const replies = [
        await create({}, service.api),
        await service.api.get(PATH),
        await service.api.get(`${PATH}/${id}`),
        await service.api.get(`${PATH}/${id}/status`),
        await service.api.delete(`${PATH}/${id}`),
      ];
      expect(replies.map(outcome)).toEqual(replies.map(() => '401 unauthorized'));
    });
  });

  describe('What is logged', () => {
    it('is never a payment link, a password, a token or what a person sent', async () => {
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
      const deadline = Date.now() + 5000;
      const seen = (): boolean => service.logged.filter((line) => line.includes(account.id)).length >= 6;
      while (!seen() && Date.now() < deadline) await new Promise((resolve) => setImmediate(resolve));
      expect(seen()).toBe(true);
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
