import { Api, Reply } from '../support/api';
import { aPaymentRequest, aSubscription, aTransaction } from '../support/movements';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  Person,
  theAdmin,
} from '../support/people';
import { TestService } from '../support/service';

const NO_SUCH_ACCOUNT = 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w';
const NO_SUCH_SUBSCRIPTION = 'sub_01k9x8v2t4e6rb3m5n7p9q1s0w';
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const PATH = '/v1/subscriptions';

/** The operations on subscriptions, on any database that `start` brings the service up on. */
export function subscriptionsSuite(start: () => Promise<TestService>): void {
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
    api.post(PATH, aSubscription(owner.accountId, members));
  const subscribe = ({ api, accountId }: Owner, members: object = {}): Promise<any> =>
    created(api, PATH, aSubscription(accountId, members));
  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;

  describe('POST /v1/subscriptions', () => {
    it('answers 201 with the subscription, active, and with what was not given as null and {}', async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expect(body).toStrictEqual({
        id: expect.stringMatching(/^sub_[0-9a-z]{26}$/),
        account_id: owner.accountId,
        amount: 1250,
        currency: 'USD',
        status: 'active',
        customer_email: 'customer@example.com',
        interval: 'month',
        reference: null,
        metadata: {},
        next_payment_at: expect.stringMatching(ISO_MS),
        created_at: expect.stringMatching(ISO_MS),
        updated_at: body.created_at,
      });
    });

    it('keeps what was sent as it was sent', async () => {
      const sent = {
        amount: 9_007_199_254_740_991,
        customer_email: 'Mixed.Case+tag@Example.COM',
        reference: 'contract-1',
        metadata: { a: [1, { b: null }] },
      };
      const { body } = await create(sent);
      expect(body).toMatchObject(sent);
      expect((await owner.api.get(`${PATH}/${body.id}`)).body).toStrictEqual(body);
    });

    it.each([
      ['day', 1],
      ['week', 7],
    ])('each %s: the next payment is %d days away', async (interval, days) => {
      const { body } = await create({ interval });
      expect(body.interval).toBe(interval);
      expect(Date.parse(body.next_payment_at) - Date.parse(body.created_at)).toBe(days * 86_400_000);
    });

    it('asks the customer for the first payment at once, with the same terms', async () => {
      const asking = await anOwner(service.api);
      const terms = { customer_email: 'Ada@example.com', reference: 'contract-2', metadata: { seats: 3 } };
      const { created_at } = await subscribe(asking, terms);
      const { data } = (await asking.api.get('/v1/payments')).body;
      expect(data).toStrictEqual([
        {
          id: expect.stringMatching(/^pay_/),
          account_id: asking.accountId,
          amount: 1250,
          currency: 'USD',
          status: 'pending',
          ...terms,
          created_at,
          payment_url: expect.stringMatching(/\/pay\/[\w-]{43}$/),
        },
      ]);
    });

    it('that is refused asks nobody for anything', async () => {
      const asking = await anOwner(service.api);
      for (const members of [{ currency: 'EUR' }, { interval: 'decade' }]) {
        expect(outcome(await asking.api.post(PATH, aSubscription(asking.accountId, members)))).toBe(
          '400 invalid_request',
        );
      }
      expect((await asking.api.get('/v1/payments')).body.data).toEqual([]);
      expect((await asking.api.get(PATH)).body.data).toEqual([]);
    });

    it.each(['account_id', 'amount', 'currency', 'customer_email', 'interval'])(
      'without %s is refused',
      async (member) => {
        expect(outcome(await create({ [member]: undefined }))).toBe('400 invalid_request');
        expect(outcome(await create({ [member]: null }))).toBe('400 invalid_request');
      },
    );

    it.each<object>([
      { account_id: 7 },
      { amount: 0 },
      { amount: 1.5 },
      { amount: '100' },
      { amount: 2 ** 53 },
      { currency: 'usd' },
      { currency: 'EUR' },
      { customer_email: 'nobody' },
      { interval: '' },
      { interval: 'Month' },
      { interval: 'months' },
      { interval: 'hour' },
      { interval: 1 },
      { interval: ['month'] },
      { interval_count: 2 },
      { reference: 'x'.repeat(256) },
      { metadata: [] },
      { status: 'canceled' },
      { next_payment_at: '2030-01-01T00:00:00Z' },
      { expires_at: '2030-01-01T00:00:00Z' },
      { periods: 0 },
      { id: 'sub_1' },
    ])('with %j is refused', async (members) => {
      expect(outcome(await create(members))).toBe('400 invalid_request');
    });

    it('for an account that is unknown, malformed or foreign is account_not_found', async () => {
      for (const account_id of [NO_SUCH_ACCOUNT, 'acc_1', '', 'nonsense', stranger.accountId]) {
        expect(outcome(await create({ account_id }))).toBe('404 account_not_found');
      }
      expect(outcome(await create({ account_id: NO_SUCH_ACCOUNT }, admin.api))).toBe('404 account_not_found');
      expect(outcome(await create({}, (await aUser(service.api)).api))).toBe('404 account_not_found');
    });

    it('with a key that comes again creates nothing more and asks for nothing more', async () => {
      const asking = await anOwner(service.api);
      const send = (members: object = {}): Promise<Reply> =>
        asking.api.post(PATH, aSubscription(asking.accountId, members), {
          headers: { 'idempotency-key': 'once' },
        });
      const replies = await Promise.all(Array.from({ length: 10 }, () => send()));
      expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(outcome(await send({ interval: 'day' }))).toBe('400 invalid_request');
      expect((await asking.api.get(PATH)).body.data).toHaveLength(1);
      expect((await asking.api.get('/v1/payments')).body.data).toHaveLength(1);
    });
  });

  describe("The account's status", () => {
    it.each([
      ['suspended', '403 forbidden'],
      ['pending', '201 active'],
    ])('%s: %s, for anyone', async (status, expected) => {
      const person = await anOwner(service.api);
      await admin.api.patch(`/v1/accounts/${person.accountId}`, { status });
      const again = await logIn(service.api, person.email);
      for (const { api } of [again, admin, platform]) {
        expect(outcome(await api.post(PATH, aSubscription(person.accountId)))).toBe(expected);
      }
    });

    it('closed: none is taken', async () => {
      const person = await anOwner(service.api);
      await person.api.delete('/v1/account');
      expect(outcome(await admin.api.post(PATH, aSubscription(person.accountId)))).toBe('403 forbidden');
    });

    it('suspended: one that is there can still be read and canceled', async () => {
      const person = await anOwner(service.api);
      const { id } = await subscribe(person);
      await admin.api.patch(`/v1/accounts/${person.accountId}`, { status: 'suspended' });
      const again = await logIn(service.api, person.email);
      expect(outcome(await again.api.get(`${PATH}/${id}`))).toBe('200 active');
      expect(outcome(await again.api.delete(`${PATH}/${id}`))).toBe('200 canceled');
    });
  });

  describe('DELETE /v1/subscriptions/{subscription_id}', () => {
    it('cancels an active one, once; it stays visible and has no next payment', async () => {
      const made = await subscribe(owner);
      const { status, body } = await owner.api.delete(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        id: made.id,
        status: 'canceled',
        canceled_at: expect.stringMatching(ISO_MS),
        message: expect.any(String),
      });
      expect(body.canceled_at > made.created_at).toBe(true);
      expect((await owner.api.get(`${PATH}/${made.id}`)).body).toStrictEqual({
        ...made,
        status: 'canceled',
        next_payment_at: null,
        updated_at: body.canceled_at,
      });
      expect(outcome(await owner.api.delete(`${PATH}/${made.id}`))).toBe('409 not_cancellable');
    });

    it('leaves what was asked for as it is', async () => {
      const asking = await anOwner(service.api);
      const { id } = await subscribe(asking);
      await asking.api.delete(`${PATH}/${id}`);
      const { data } = (await asking.api.get('/v1/payments')).body;
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['pending']);
    });

    it('lets one of many at once win', async () => {
      const { id } = await subscribe(owner);
      const replies = await Promise.all(Array.from({ length: 10 }, () => owner.api.delete(`${PATH}/${id}`)));
      expect(replies.map(outcome).toSorted()).toEqual([
        '200 canceled',
        ...Array.from({ length: 9 }, () => '409 not_cancellable'),
      ]);
    });
  });

  describe('Whose it is', () => {
    it('one that is unknown, malformed or foreign is not_found, for every operation', async () => {
      const { id } = await subscribe(stranger);
      const { id: transaction } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
      for (const path of [
        id,
        NO_SUCH_SUBSCRIPTION,
        'sub_1',
        'nonsense',
        transaction,
        `${id}x`,
        "'%20OR%201=1",
      ]) {
        expect(outcome(await owner.api.get(`${PATH}/${path}`))).toBe('404 not_found');
        expect(outcome(await owner.api.delete(`${PATH}/${path}`))).toBe('404 not_found');
      }
      expect((await stranger.api.get(`${PATH}/${id}`)).body.status).toBe('active');
    });

    it('members, admins and platform systems act for the account, too', async () => {
      const member = await aMember(service.api, owner);
      for (const { api } of [member, admin, platform]) {
        const { id } = await created(api, PATH, aSubscription(owner.accountId));
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
        await service.api.delete(`${PATH}/${id}`),
      ];
      expect(replies.map(outcome)).toEqual(replies.map(() => '401 unauthorized'));
    });
  });

  describe('Closing the account (interface 3.2, 4.3)', () => {
    it('is refused while one is active, by whomever, and changes nothing', async () => {
      const person = await anOwner(service.api);
      const ids = [(await subscribe(person)).id, (await subscribe(person)).id];
      const closings = [
        () => person.api.delete('/v1/account'),
        () => admin.api.delete(`/v1/accounts/${person.accountId}`),
      ];
      for (const left of [2, 1]) {
        for (const close of closings) {
          const reply = await close();
          expect(outcome(reply)).toBe('409 active_subscriptions');
          expect(reply.body.message).toContain(`the account: ${left}.`);
        }
        expect((await person.api.get('/v1/account')).body.status).toBe('active');
        const { data } = (await person.api.get('/v1/payments?status=pending')).body;
        expect(data).toHaveLength(2);
        expect(outcome(await person.api.delete(`${PATH}/${ids[left - 1]}`))).toBe('200 canceled');
      }
      expect(outcome(await person.api.delete('/v1/account'))).toBe('200 closed');
      expect(
        (await admin.api.get(`/v1/payments?account_id=${person.accountId}&status=canceled`)).body.data,
      ).toHaveLength(2);
    });

    it('is not hindered by those of others', async () => {
      const person = await anOwner(service.api);
      await subscribe(stranger);
      expect(outcome(await person.api.delete('/v1/account'))).toBe('200 closed');
    });
  });

  describe('The currency of the account', () => {
    it('is fixed with the first subscription, also once that is canceled', async () => {
      const person = await anOwner(service.api);
      const change = (currency: string): Promise<Reply> =>
        person.api.patch('/v1/account', { settings: { currency } });
      expect((await change('EUR')).status).toBe(200);
      const { id } = await subscribe(person, { currency: 'EUR' });
      expect(outcome(await change('USD'))).toBe('400 invalid_request');
      await person.api.delete(`${PATH}/${id}`);
      expect(outcome(await change('USD'))).toBe('400 invalid_request');
    });
  });

  describe('Payment requests', () => {
    it('of a subscription look like any other', async () => {
      const person = await anOwner(service.api);
      await subscribe(person);
      await created(person.api, '/v1/payments', aPaymentRequest(person.accountId));
      const { data } = (await person.api.get('/v1/payments')).body;
      const [single, recurring] = await Promise.all(
        data.map(async ({ id }: { id: string }) => (await person.api.get(`/v1/payments/${id}`)).body),
      );
      expect(Object.keys(recurring)).toEqual(Object.keys(single));
    });
  });
}
