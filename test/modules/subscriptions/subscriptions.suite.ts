import { ISO_MS, outcome, startWithCast } from '../../support/account-owned';
import { Api, Reply } from '../../support/api';
import { aPaymentRequest, aSubscription } from '../../support/request-bodies';
import { anOwner, created, Owner, Person } from '../../support/people';
import { TestService } from '../../support/service';

const PATH = '/v1/subscriptions';

/** Tests the operations on subscriptions against the service that `start` starts. */
export function subscriptionsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let stranger: Owner;
  let admin: Person;

  beforeAll(async () => {
    ({ service, owner, stranger, admin } = await startWithCast(start));
  });
  afterAll(() => service.stop());

  const create = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
    api.post(PATH, aSubscription(owner.accountId, members));
  const subscribe = ({ api, accountId }: Owner, members: object = {}): Promise<any> =>
    created(api, PATH, aSubscription(accountId, members));

  describe('POST /v1/subscriptions', () => {
    it('creates an active subscription, with defaults for optional members', async () => {
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

    it('returns all members as sent', async () => {
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
    ])('sets the next payment of each %s after %d days', async (interval, days) => {
      const { body } = await create({ interval });
      expect(body.interval).toBe(interval);
      expect(Date.parse(body.next_payment_at) - Date.parse(body.created_at)).toBe(days * 86_400_000);
    });

    it('creates the first payment request immediately with the same terms', async () => {
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

    it('creates no payment request when it is rejected', async () => {
      const asking = await anOwner(service.api);
      for (const members of [{ currency: 'EUR' }, { interval: 'decade' }]) {
        expect(outcome(await asking.api.post(PATH, aSubscription(asking.accountId, members)))).toBe(
          '400 invalid_request',
        );
      }
      expect((await asking.api.get('/v1/payments')).body.data).toEqual([]);
      expect((await asking.api.get(PATH)).body.data).toEqual([]);
    });

    it.each<object>([
      { currency: 'EUR' },
      { customer_email: 'nobody' },
      { interval: '' },
      { interval: 'Month' },
      { interval: 'months' },
      { interval: 'hour' },
      { interval: 1 },
      { interval: ['month'] },
      { interval_count: 2 },
      { status: 'canceled' },
      { next_payment_at: '2030-01-01T00:00:00Z' },
      { expires_at: '2030-01-01T00:00:00Z' },
      { periods: 0 },
    ])('rejects %j', async (members) => {
      expect(outcome(await create(members))).toBe('400 invalid_request');
    });

    it('creates one subscription and one payment request when an Idempotency-Key is repeated', async () => {
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

  describe('DELETE /v1/subscriptions/{subscription_id}', () => {
    it('does not change existing payment requests', async () => {
      const asking = await anOwner(service.api);
      const { id } = await subscribe(asking);
      await asking.api.delete(`${PATH}/${id}`);
      const { data } = (await asking.api.get('/v1/payments')).body;
      expect(data.map(({ status }: { status: string }) => status)).toEqual(['pending']);
    });
  });

  describe('Closing the account (interface 3.2, 4.3)', () => {
    it('is rejected for every caller while a subscription is active, and changes nothing', async () => {
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

    it('does not depend on the subscriptions of other accounts', async () => {
      const person = await anOwner(service.api);
      await subscribe(stranger);
      expect(outcome(await person.api.delete('/v1/account'))).toBe('200 closed');
    });
  });

  describe('Payment requests', () => {
    it('of a subscription have the usual shape', async () => {
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
