import fc from 'fast-check';
import { LedgerVerification } from '../../../src/modules/ledger';
import { outcome, unknownId } from '../../support/account-owned';
import { submitOutcome, aPaymentLink } from '../../support/payment-page';
import { anOwner, created, logIn, Owner, Person, theAdmin } from '../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../support/request-bodies';
import { draw, rounds, SEED } from '../../support/rounds';
import { TestService } from '../../support/service';
import { contextOn } from '../ledger/context';

/** Expects that `ledger verify` finds nothing. */
export async function expectSoundBooks(service: TestService): Promise<void> {
  const app = await contextOn(service);
  const { faults } = await app.get(LedgerVerification).run(() => undefined);
  await app.close();
  expect(faults).toEqual([]);
}

/** The posted balance of an account. */
const posted = async ({ api }: Owner): Promise<number> => (await api.get('/v1/account/balance')).body.posted;
export const balances = (...owners: Owner[]): Promise<number[]> => Promise.all(owners.map(posted));
const transfersOf = async ({ api }: Owner, query = ''): Promise<any[]> =>
  (await api.get(`/v1/transfers?limit=100${query}`)).body.data;

/** Tests splits against the service that `start` starts. */
export function splitsSuite(start: (env: NodeJS.ProcessEnv) => Promise<TestService>): void {
  let service: TestService;
  let admin: Person;
  let payee: Owner;
  let one: Owner;
  let two: Owner;

  beforeAll(async () => {
    service = await start({ ACCESS_TOKEN_TTL: '86400' });
  });
  beforeEach(async () => {
    admin = await theAdmin(service.api);
    [payee, one, two] = [await anOwner(service.api), await anOwner(service.api), await anOwner(service.api)];
  });
  afterAll(async () => {
    await expectSoundBooks(service);
    await service.stop();
  });

  /** 125 and 400 of 1250: 725 stay. */
  const splits = () => [
    { account_id: one.accountId, percent: 10 },
    { account_id: two.accountId, amount: 400 },
  ];
  const request = (members: object = {}, of = payee) =>
    of.api.post('/v1/payments', aPaymentRequest(of.accountId, { splits: splits(), ...members }));
  const aRequest = async (members: object = {}): Promise<any> => {
    const { status, body } = await request(members);
    expect(status).toBe(201);
    return body;
  };
  const again = async (owner: Owner): Promise<Owner> => ({
    ...owner,
    ...(await logIn(service.api, owner.email)),
  });
  const settle = ({ id, amount }: { id: string; amount: number }) =>
    admin.api.post(`/v1/payments/${id}/settlement`, { outcome: 'succeeded', amount });
  const paid = async (members: object = {}): Promise<any> => {
    const { body, status } = await settle(await aRequest(members));
    expect(status).toBe(200);
    return body;
  };
  const refundOf = (payment: any, amount: number, members: object = {}) =>
    payee.api.post(
      '/v1/transactions',
      aTransaction(payee.accountId, {
        type: 'refund',
        amount,
        source_transaction_id: payment.transaction_id,
        reverse_splits: true,
        ...members,
      }),
    );
  /** Sessions end with a suspension. */
  const balancesAfter = async (...owners: Owner[]): Promise<number[]> =>
    balances(...(await Promise.all(owners.map(again))));
  const setStatus = async ({ accountId }: Owner, status: string): Promise<void> =>
    expect((await admin.api.patch(`/v1/accounts/${accountId}`, { status })).status).toBe(200);
  const eventsOf = async ({ api }: Owner, prefix: string): Promise<any[]> =>
    (await api.get('/v1/events?limit=100')).body.data.filter(({ type }: any) => type.startsWith(prefix));

  describe('at the creation', () => {
    it('are shown with their amounts', async () => {
      const { id, splits: shown } = await aRequest();
      expect(shown).toEqual([
        { account_id: one.accountId, percent: 10, amount: 125 },
        { account_id: two.accountId, amount: 400 },
      ]);
      expect((await payee.api.get(`/v1/payments/${id}`)).body.splits).toEqual(shown);
      expect((await payee.api.get('/v1/payments')).body.data[0].splits).toEqual(shown);
      expect(await request({ splits: undefined })).not.toHaveProperty('body.splits');
    });

    it.each<[string, () => object[], string]>([
      ['an unknown account', () => [{ account_id: unknownId('acc'), amount: 1 }], '404 account_not_found'],
      ['a malformed id', () => [{ account_id: 'acc_x', amount: 1 }], '404 account_not_found'],
      ['the account itself', () => [{ account_id: payee.accountId, amount: 1 }], '400 invalid_request'],
      ['more than the payment', () => [{ account_id: one.accountId, amount: 1251 }], '400 invalid_request'],
      ['no part', () => [], '400 invalid_request'],
    ])('reject %s', async (_, parts, expected) => {
      expect(outcome(await request({ splits: parts() }))).toBe(expected);
      const subscription = aSubscription(payee.accountId, { splits: parts() });
      expect(outcome(await payee.api.post('/v1/subscriptions', subscription))).toBe(expected);
    });

    it('reject accounts that are not active or have another currency', async () => {
      await setStatus(one, 'suspended');
      expect(outcome(await request())).toBe('403 forbidden');
      const other = await anOwner(service.api, { currency: 'EUR' });
      expect(outcome(await request({ splits: [{ account_id: other.accountId, amount: 1 }] }))).toBe(
        '400 invalid_request',
      );
    });

    it('need the scope of transfers from an API key', async () => {
      const scopes = ['payment_requests:write', 'subscriptions:write'];
      const { key } = await created(payee.api, '/v1/api-keys', { name: 'Shop', scopes });
      const api = service.api.as(key);
      const body = aPaymentRequest(payee.accountId, { splits: splits() });
      expect(outcome(await api.post('/v1/payments', body))).toBe('403 forbidden');
      const subscription = { ...body, interval: 'month' };
      expect(outcome(await api.post('/v1/subscriptions', subscription))).toBe('403 forbidden');
      expect((await api.post('/v1/payments', { ...body, splits: undefined })).status).toBe(201);
    });

    it('are not checked again when the response of a key is repeated', async () => {
      const body = aPaymentRequest(payee.accountId, { splits: splits() });
      const post = () =>
        payee.api.post('/v1/payments', body, { headers: { 'idempotency-key': payee.accountId } });
      const first = await post();
      await setStatus(one, 'suspended');
      expect((await post()).body).toEqual(first.body);
    });
  });

  describe('at the payment', () => {
    const ways: [string, () => Promise<unknown>][] = [
      ['by an operator', () => paid()],
      [
        'on the payment page',
        async () => {
          const { url } = await aPaymentLink(service, payee, { splits: splits() });
          expect((await submitOutcome(url, 'succeeded')).status).toBe(303);
        },
      ],
      [
        'by a simulation that is due',
        async () => {
          await aRequest({ metadata: { sandbox_outcome: 'succeeded' } });
          service.clock.move({ seconds: 3600 });
          await service.runDueTasks();
        },
      ],
    ];

    it.each(ways)('go out %s, and the rest stays', async (_, pay) => {
      await pay();
      expect(await balances(payee, one, two)).toEqual([725, 125, 400]);
      const { data } = (await payee.api.get('/v1/payments?view=full')).body;
      const { transaction_id } = data[0];
      const [sent] = await transfersOf(payee, `&source_transaction_id=${transaction_id}`);
      expect(sent).toMatchObject({
        amount: 525,
        status: 'succeeded',
        direction: 'out',
        source_transaction_id: transaction_id,
        to: [{ account_id: one.accountId }, { account_id: two.accountId, amount: 400 }],
      });
      const [received] = await transfersOf(one, `&source_transaction_id=${transaction_id}`);
      expect(received).toMatchObject({ id: sent.id, amount: 125, reference: null, metadata: {} });
      expect(received.to).toHaveLength(1);
      const filter = `source_transaction_id=${transaction_id}&status=succeeded&amount_min=525`;
      expect((await admin.api.get(`/v1/transfers?${filter}`)).body.data).toEqual([sent]);
      const entries = (await one.api.get('/v1/account/entries')).body.data;
      expect(entries).toMatchObject([{ transaction_id: sent.id, amount: 125, type: 'transfer' }]);
      for (const owner of [payee, one, two])
        expect((await eventsOf(owner, 'transfer.')).map(({ type }) => type)).toEqual(['transfer.succeeded']);
    });

    it('leave the part with the account that was paid while the other is not active, and say so', async () => {
      const created_ = await aRequest();
      await setStatus(one, 'suspended');
      const { status, body } = await settle(created_);
      expect([status, body.status]).toEqual([200, 'succeeded']);
      expect(await balancesAfter(payee, one, two)).toEqual([850, 0, 400]);
      const skipped = [
        { account_id: one.accountId, percent: 10, amount: 125, skipped: true },
        { account_id: two.accountId, amount: 400 },
      ];
      expect(body.splits).toEqual(skipped);
      const [event] = await eventsOf(payee, 'payment_request.succeeded');
      expect(event.data.object.splits).toEqual(skipped);
      expect((await transfersOf(payee))[0].to).toHaveLength(1);
    });

    it('stay whole while the account that is paid is suspended', async () => {
      const pending = await aRequest();
      await setStatus(payee, 'suspended');
      expect((await settle(pending)).body.splits).toMatchObject([{ skipped: true }, { skipped: true }]);
      expect(await balancesAfter(payee, one, two)).toEqual([1250, 0, 0]);
      expect(await transfersOf(await again(payee))).toEqual([]);
    });

    it('stay where the other account cannot hold them, or has changed its currency', async () => {
      const pending = await aRequest();
      expect((await one.api.patch('/v1/account', { settings: { currency: 'EUR' } })).status).toBe(200);
      const most = aTransaction(two.accountId, { type: 'credit', amount: Number.MAX_SAFE_INTEGER });
      await created(admin.api, '/v1/transactions', most);
      expect((await settle(pending)).body.splits).toMatchObject([{ skipped: true }, { skipped: true }]);
      expect(await posted(payee)).toBe(1250);
    });

    it('go out once, however often the payment is reported', async () => {
      const pending = await aRequest();
      const replies = await Promise.all([settle(pending), settle(pending), settle(pending)]);
      expect(replies.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await balances(payee, one, two)).toEqual([725, 125, 400]);
    });

    it('are those of the subscription, each period', async () => {
      const terms = aSubscription(payee.accountId, { interval: 'day', splits: splits() });
      const subscription = await created(payee.api, '/v1/subscriptions', terms);
      expect(subscription.splits).toMatchObject([{ percent: 10, amount: 125 }, { amount: 400 }]);
      service.clock.move({ days: 1 });
      await service.runDueTasks();
      admin = await theAdmin(service.api);
      [payee, one, two] = [await again(payee), await again(one), await again(two)];
      const { data } = (await payee.api.get('/v1/payments')).body;
      expect(data).toHaveLength(2);
      for (const pending of data) expect((await settle(pending)).status).toBe(200);
      expect(await balances(payee, one, two)).toEqual([1450, 250, 800]);
    });

    it('cross without a deadlock where accounts pay parts to each other', async () => {
      const to = (other: Owner) => [{ account_id: other.accountId, percent: 50 }];
      const pairs = [payee, one, two].flatMap((from) =>
        [payee, one, two].filter((other) => other !== from).map((other) => [from, other] as const),
      );
      const pending = await Promise.all(
        pairs.flatMap(([from, other]) =>
          Array.from({ length: 5 }, () => request({ splits: to(other), amount: 100 }, from)),
        ),
      );
      const replies = await Promise.all(pending.map(({ body }) => settle(body)));
      expect([...new Set(replies.map(outcome))]).toEqual(['200 succeeded']);
      expect(await balances(payee, one, two)).toEqual([1000, 1000, 1000]);
    });
  });

  describe('at a refund', () => {
    it('stay with the others by default', async () => {
      const payment = await paid();
      expect(outcome(await refundOf(payment, 725, { reverse_splits: undefined }))).toBe('201 succeeded');
      expect(await balances(payee, one, two)).toEqual([0, 125, 400]);
    });

    it('are taken back whole with the whole payment, although the account has less', async () => {
      const payment = await paid();
      const { body } = await refundOf(payment, 1250);
      expect(body.status).toBe('succeeded');
      expect(await balances(payee, one, two)).toEqual([0, 0, 0]);
      const [split] = await transfersOf(payee, '&direction=out');
      expect(split.reversed_amount).toBe(525);
      const taken = await transfersOf(payee, `&source_transaction_id=${body.id}`);
      expect(taken.map(({ amount, reversal_of }) => [amount, reversal_of]).toSorted()).toEqual([
        [125, split.id],
        [400, split.id],
      ]);
      expect((await eventsOf(one, 'transfer.')).map(({ type }) => type).toSorted()).toEqual([
        'transfer.reversed',
        'transfer.succeeded',
        'transfer.succeeded',
      ]);
    });

    it(`are taken back in proportion, and all in the end (seed ${SEED})`, async () => {
      const cuts = fc.array(fc.integer({ min: 1, max: 96 }), { minLength: 1, maxLength: 5 });
      // Parts round down, so that on the way the account pays up to one minor unit more for each.
      const float = aTransaction(payee.accountId, { type: 'credit', amount: 2 });
      await created(payee.api, '/v1/transactions', float);
      for (const chosen of draw(cuts, rounds(3))) {
        const before = await balances(payee, one, two);
        const payment = await paid({
          amount: 97,
          splits: [
            { account_id: one.accountId, percent: 33.33 },
            { account_id: two.accountId, amount: 50 },
          ],
        });
        const bounds = [...new Set([...chosen, 97])].toSorted((a, b) => a - b);
        let refunded = 0;
        for (const bound of bounds) {
          expect(outcome(await refundOf(payment, bound - refunded))).toBe('201 succeeded');
          refunded = bound;
          const left = [32, 50].map((part) => part - Math.floor((part * refunded) / 97));
          const [atOne, atTwo] = await balances(one, two);
          expect([atOne! - before[1]!, atTwo! - before[2]!]).toEqual(left);
        }
        expect(await balances(payee, one, two)).toEqual(before);
      }
    });

    it('keep the account from canceling the refund for which it has taken them back', async () => {
      const payment = await paid();
      const pending = { metadata: { sandbox_outcome: 'pending' } };
      const { body } = await refundOf(payment, 1250, pending);
      expect(body.status).toBe('pending');
      expect(outcome(await payee.api.delete(`/v1/transactions/${body.id}`))).toBe('409 not_cancellable');
      const path = `/v1/transactions/${body.id}/settlement`;
      expect(outcome(await admin.api.post(path, { outcome: 'succeeded' }))).toBe('200 succeeded');
      expect(await balances(payee, one, two)).toEqual([0, 0, 0]);
    });

    it('keep pending, in a closing too, the refund for which they were taken back, and no other one', async () => {
      const payment = await paid();
      const pending = { metadata: { sandbox_outcome: 'pending' } };
      const { body: taker } = await refundOf(payment, 1000, pending);
      const { body: other } = await refundOf(payment, 100, { ...pending, reverse_splits: false });
      const { body: closed } = await payee.api.delete('/v1/account');
      expect(closed.message).toMatch(
        /\. 1145 minor units of \w+ are left in it, 1000 of them held for pending refunds\.$/,
      );
      const statuses = [];
      for (const { id } of [taker, other])
        statuses.push((await admin.api.get(`/v1/transactions/${id}`)).body.status);
      expect(statuses).toEqual(['pending', 'canceled']);
      const path = `/v1/transactions/${taker.id}/settlement`;
      expect(outcome(await admin.api.post(path, { outcome: 'succeeded' }))).toBe('200 succeeded');
      const { body: balance } = await admin.api.get(`/v1/accounts/${payee.accountId}/balance`);
      expect([balance.posted, ...(await balances(one, two))]).toEqual([145, 25, 80]);
    });

    it('count what an account sent back by itself', async () => {
      const payment = await paid();
      const [received] = await transfersOf(one);
      await created(one.api, `/v1/transfers/${received.id}/reversal`, { amount: 100 });
      expect(outcome(await refundOf(payment, 625))).toBe('201 succeeded');
      expect(await balances(payee, one, two)).toEqual([725 + 100 + 200 - 625, 25, 200]);
      expect(outcome(await refundOf(payment, 625))).toBe('201 succeeded');
      expect(await balances(payee, one, two)).toEqual([0, 0, 0]);
    });

    it('move nothing where a part is no longer there, and tell no balance', async () => {
      const payment = await paid();
      await created(
        one.api,
        '/v1/transactions',
        aTransaction(one.accountId, { type: 'refund', amount: 100 }),
      );
      const reply = await refundOf(payment, 1250);
      expect(outcome(reply)).toBe('402 insufficient_funds');
      expect(reply.body.message).toBe(`The account ${one.accountId} does not have enough of its part left.`);
      expect(await balances(payee, one, two)).toEqual([725, 25, 400]);
      expect(outcome(await refundOf(payment, 250))).toBe('201 succeeded');
      expect(await balances(payee, one, two)).toEqual([580, 0, 320]);
    });

    it('move nothing while another account is suspended', async () => {
      const payment = await paid();
      await setStatus(two, 'suspended');
      expect(outcome(await refundOf(payment, 625))).toBe('403 forbidden');
      expect(await balancesAfter(payee, one, two)).toEqual([725, 125, 400]);
    });

    it('are never taken back above the payment, by a failed refund, a dry run or a stranger', async () => {
      const payment = await paid();
      expect(outcome(await refundOf(payment, 1251))).toBe('400 invalid_request');
      const failing = { metadata: { sandbox_outcome: 'failed' } };
      expect(outcome(await refundOf(payment, 100, failing))).toBe('201 failed');
      expect((await refundOf(payment, 1250, { dry_run: true })).body.balance.posted).toBe(0);
      const stranger = await refundOf(payment, 1, { account_id: one.accountId });
      expect(outcome(stranger)).toBe('404 not_found');
      expect(await balances(payee, one, two)).toEqual([725, 125, 400]);
    });

    it('need a payment', async () => {
      const payment = await paid();
      const without = { source_transaction_id: undefined };
      expect(outcome(await refundOf(payment, 1, without))).toBe('400 invalid_request');
      expect(outcome(await refundOf(payment, 1, { type: 'credit' }))).toBe('400 invalid_request');
      expect(outcome(await refundOf({ transaction_id: 'txn_x' }, 1))).toBe('400 invalid_request');
      const plain = await paid({ splits: undefined });
      expect(outcome(await refundOf(plain, 1250))).toBe('201 succeeded'); // there is nothing to take back
    });

    it('are taken back once by refunds at the same moment', async () => {
      const payment = await paid();
      const replies = await Promise.all([1, 2, 3, 4].map(() => refundOf(payment, 500)));
      expect(replies.map(({ status }) => status).toSorted()).toEqual([201, 201, 400, 400]);
      expect(await balances(payee, one, two)).toEqual([725 - 1000 + 100 + 320, 25, 80]);
    });

    it('are taken back by a batch, all or none', async () => {
      const payment = await paid();
      const refund = aTransaction(payee.accountId, {
        type: 'refund',
        amount: 625,
        source_transaction_id: payment.transaction_id,
        reverse_splits: true,
      });
      const batch = (...transactions: object[]) =>
        payee.api.post('/v1/transactions/batch', { mode: 'atomic', transactions });
      expect((await batch(refund, refund, { ...refund, amount: 1 })).status).toBe(400);
      expect(await balances(payee, one, two)).toEqual([725, 125, 400]);
      expect((await batch(refund, refund)).status).toBe(201);
      expect(await balances(payee, one, two)).toEqual([0, 0, 0]);
    });
  });
}
