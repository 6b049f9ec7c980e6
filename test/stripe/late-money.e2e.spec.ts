import { aTransaction } from '../support/movements';
import { anOwner, created, Owner } from '../support/people';
import { aLink, statusOf } from '../payment-page/visitor';
import {
  atCheckout,
  balanceOf,
  journalOf,
  latePaymentsOf,
  openShop,
  pressPay,
  report,
  Shop,
  stateOfPage,
} from './shop';

describe('Money that Stripe reports too late', () => {
  let shop: Shop;
  let owner: Owner;

  beforeAll(async () => {
    shop = await openShop();
  });
  afterAll(() => shop.stop());
  beforeEach(async () => {
    owner = await anOwner(shop.service.api);
    shop.stripe.refundsBegin = 'succeeded';
    shop.stripe.forgetFaults();
  });

  type Visit = Awaited<ReturnType<typeof atCheckout>>;
  const paid = async ({ session }: Visit): Promise<void> =>
    report(shop, 'checkout.session.completed', shop.stripe.pay(session));
  const late = async (): Promise<any> => (await latePaymentsOf(shop, owner.accountId))[0];
  const refundsOf = (id: string) =>
    [...shop.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
  const resolve = async (id: string, outcome: string): Promise<[number, string]> => {
    const { api } = await shop.admin();
    const { status, body } = await api.post(`/v1/late-payments/${id}/resolution`, { outcome });
    return [status, body.error ?? body.status];
  };
  const later = async (minutes: number): Promise<void> => {
    shop.service.clock.move({ minutes });
    await shop.service.sweep();
  };
  const soon = (): string => new Date(shop.service.clock.now().getTime() + 35 * 60_000).toISOString();

  const cases: Record<string, (visit: Visit) => Promise<void>> = {
    canceled: async ({ link }) => void (await owner.api.delete(`/v1/payments/${link.id}`)),
    expired: async () => shop.service.clock.move({ minutes: 36 }),
    failed: async ({ link }) => settleByHand(link.id, 'failed'),
    already_paid: async ({ link }) => settleByHand(link.id, 'succeeded'),
    account_closed: async () => void (await owner.api.delete('/v1/account')),
    amount_mismatch: async ({ session }) => void (session.amount_total = 1200),
  };

  async function settleByHand(id: string, outcome: string): Promise<void> {
    const { api } = await shop.admin();
    await api.post(`/v1/payments/${id}/settlement`, { outcome, amount: 1250 });
  }

  it.each(Object.keys(cases))(
    'is recorded as %s, sent back whole, once, and is in no journal',
    async (reason) => {
      const visit = await atCheckout(shop, owner, { expires_at: soon() });
      await cases[reason]!(visit);
      const before = await journalOf(shop, owner.accountId);
      await paid(visit);
      await report(shop, 'checkout.session.completed', visit.session); // and told again
      const { id, ...shown } = await late();
      expect(await latePaymentsOf(shop, owner.accountId)).toHaveLength(1);
      const amount = reason === 'amount_mismatch' ? 1200 : 1250;
      expect(shown).toEqual({
        account_id: owner.accountId,
        payment_id: visit.link.id,
        amount,
        currency: 'USD',
        reason,
        status: 'received',
        processor_reference: visit.session.payment_intent,
        failure: null,
        created_at: expect.any(String),
        updated_at: expect.any(String),
        returned_at: null,
      });
      await Promise.all([1, 2, 3].map(() => shop.service.sweep()));
      await later(600);
      expect(refundsOf(id)).toMatchObject([{ amount, payment_intent: visit.session.payment_intent }]);
      expect(await late()).toMatchObject({ id, status: 'returned', returned_at: expect.any(String) });
      expect(await journalOf(shop, owner.accountId)).toBe(before);
      // Told once more, long after: it stays what it was.
      await report(shop, 'checkout.session.completed', visit.session);
      expect(await latePaymentsOf(shop, owner.accountId)).toHaveLength(1);
    },
  );

  it('ends a request whose time was over, before the sweep or after', async () => {
    for (const sweep of [true, false]) {
      const visit = await atCheckout(shop, owner, { expires_at: soon() });
      shop.stripe.pay(visit.session);
      shop.service.clock.move({ minutes: 36 });
      if (sweep) await shop.service.sweep();
      await report(shop, 'checkout.session.completed', visit.session);
      expect([await statusOf(owner.api, visit.link), await stateOfPage(visit.link.url)]).toEqual([
        'canceled',
        'late',
      ]);
      expect(await late()).toMatchObject({ payment_id: visit.link.id, reason: 'expired' });
    }
  });

  it('leaves a request of another amount to be paid', async () => {
    const visit = await atCheckout(shop, owner);
    visit.session.amount_total = 1200;
    await paid(visit);
    expect(await stateOfPage(visit.link.url)).toBe('pay');
    await pressPay(visit.link.url);
    const second = shop.stripe.sessionsOf(visit.link.id)[1]!;
    await paid({ link: visit.link, session: second });
    expect(await statusOf(owner.api, visit.link)).toBe('succeeded');
    expect((await balanceOf(owner.api)).posted).toBe(1250);
  });

  it('of a session that was followed by another pays the request, and the other is late', async () => {
    const visit = await atCheckout(shop, owner);
    await report(shop, 'checkout.session.expired', { ...visit.session, status: 'expired' }); // which it was not
    await pressPay(visit.link.url);
    const [first, second] = shop.stripe.sessionsOf(visit.link.id);
    expect(second).toBeDefined();
    await paid({ link: visit.link, session: first! });
    expect(await statusOf(owner.api, visit.link)).toBe('succeeded');
    await report(shop, 'checkout.session.completed', first!); // known: it was this one that paid
    expect(await latePaymentsOf(shop, owner.accountId)).toEqual([]);
    await paid({ link: visit.link, session: second! });
    expect(await late()).toMatchObject({ reason: 'already_paid', status: 'received' });
    await shop.service.sweep();
    expect((await balanceOf(owner.api)).posted).toBe(1250);
    expect(await late()).toMatchObject({ status: 'returned' });
  });

  it('that the account cannot hold is recorded as refused, and the request stays as it is', async () => {
    const api = (await shop.admin()).api;
    const visit = await atCheckout(shop, owner);
    const amount = Number.MAX_SAFE_INTEGER - 1000;
    await created(api, '/v1/transactions', aTransaction(owner.accountId, { type: 'credit', amount }));
    await paid(visit);
    expect(await late()).toMatchObject({ reason: 'refused', amount: 1250 });
    await report(shop, 'checkout.session.completed', visit.session);
    expect(await latePaymentsOf(shop, owner.accountId)).toHaveLength(1);
    expect(await statusOf(owner.api, visit.link)).toBe('pending');
    await shop.service.sweep();
    expect(await late()).toMatchObject({ status: 'returned' });
    expect((await balanceOf(owner.api)).posted).toBe(amount);
  });

  describe('on its way back', () => {
    /** Money that came after its request was canceled. @returns the id of its record */
    async function aLatePayment(): Promise<string> {
      const visit = await atCheckout(shop, owner);
      await owner.api.delete(`/v1/payments/${visit.link.id}`);
      await paid(visit);
      return (await late()).id;
    }

    it('that Stripe has in hand is back when Stripe says so, by its report or asked', async () => {
      shop.stripe.refundsBegin = 'pending';
      const told = await aLatePayment();
      await shop.service.sweep();
      expect(await late()).toMatchObject({ status: 'received' });
      await report(shop, 'refund.updated', shop.stripe.end(refundsOf(told)[0]!, 'succeeded'));
      expect(await late()).toMatchObject({ id: told, status: 'returned' });
      const asked = await aLatePayment();
      await shop.service.sweep();
      shop.stripe.end(refundsOf(asked)[0]!, 'succeeded');
      await later(6 * 60 + 1);
      expect(await late()).toMatchObject({ id: asked, status: 'returned' });
      expect([refundsOf(told).length, refundsOf(asked).length]).toEqual([1, 1]);
    });

    it('that Stripe refuses is stuck until a person sees to it: by hand, or by another try', async () => {
      const id = await aLatePayment();
      shop.stripe.fail(/^POST \/v1\/refunds$/, { status: 400, code: 'balance_insufficient' });
      await shop.service.sweep();
      expect(await late()).toMatchObject({ status: 'stuck', failure: 'balance_insufficient' });
      await later(600);
      expect(refundsOf(id)).toEqual([]);
      expect(await resolve(id, 'retry')).toEqual([200, 'received']);
      expect(await resolve(id, 'retry')).toEqual([409, 'conflict']);
      expect(await resolve(id, 'returned')).toEqual([409, 'conflict']); // the service is at it
      await shop.service.sweep();
      expect(await late()).toMatchObject({ status: 'returned', failure: null });
      expect(refundsOf(id)).toHaveLength(1);
    });

    it('that was sent back by hand is so for good', async () => {
      const id = await aLatePayment();
      shop.stripe.refundsBegin = 'failed';
      await shop.service.sweep();
      expect(await late()).toMatchObject({ status: 'stuck', failure: 'declined' });
      expect(await resolve(id, 'returned')).toEqual([200, 'returned']);
      expect(await resolve(id, 'returned')).toEqual([200, 'returned']);
      expect(await resolve(id, 'retry')).toEqual([409, 'conflict']);
      await report(shop, 'refund.failed', refundsOf(id)[0]!);
      expect(await late()).toMatchObject({ status: 'returned', failure: null });
    });

    it('that failed is another refund at Stripe when it is tried again', async () => {
      const id = await aLatePayment();
      shop.stripe.refundsBegin = 'failed';
      await shop.service.sweep();
      shop.stripe.refundsBegin = 'succeeded';
      await resolve(id, 'retry');
      await shop.service.sweep();
      expect(refundsOf(id).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
      expect(await late()).toMatchObject({ status: 'returned' });
      await report(shop, 'refund.updated', refundsOf(id)[0]!); // of the first try: no longer of interest
      expect(await late()).toMatchObject({ status: 'returned' });
    });

    it('that comes back after it had arrived is stuck, in whatever order that is told', async () => {
      const id = await aLatePayment();
      await shop.service.sweep();
      const [refund] = refundsOf(id);
      const arrived = shop.stripe.event('refund.updated', { ...refund });
      await report(shop, 'refund.failed', shop.stripe.end(refund!, 'failed', 'expired_or_canceled_card'));
      expect(await late()).toMatchObject({
        status: 'stuck',
        failure: 'expired_or_canceled_card',
        returned_at: null,
      });
      expect(await shop.stripe.deliver(shop.service.url, arrived)).toBe(200);
      expect(await late()).toMatchObject({ status: 'stuck' });
    });

    it('whose answer is lost goes back once', async () => {
      const id = await aLatePayment();
      shop.stripe.fail(/^POST \/v1\/refunds$/, 'lost', 2);
      await shop.service.sweep();
      expect([(await late()).status, refundsOf(id).length]).toEqual(['received', 1]);
      shop.stripe.forgetKeys();
      await later(2);
      expect([(await late()).status, refundsOf(id).length]).toEqual(['returned', 1]);
    });

    it('is stuck once Stripe has not answered for half a day, and back when Stripe says so after all', async () => {
      const id = await aLatePayment();
      shop.stripe.fail(/refunds/, { status: 403, code: 'permission_denied' }, 1000);
      let tries = 0;
      for (let hour = 0; hour < 30 && (await late()).status === 'received'; hour += 1) {
        const before = shop.stripe.count(/refunds/);
        await later(hour < 3 ? 20 : 181);
        tries += shop.stripe.count(/refunds/) - before;
      }
      expect(await late()).toMatchObject({ status: 'stuck', failure: 'no_answer' });
      expect(tries).toBe(10);
      await later(6000);
      expect(await late()).toMatchObject({ status: 'stuck' });
      const refund = { id: 're_1', object: 'refund', status: 'succeeded' };
      const metadata = { account_id: owner.accountId, order: id, round: '1' };
      await report(shop, 'refund.updated', { ...refund, metadata });
      expect(await late()).toMatchObject({ status: 'returned', failure: null });
    });

    it('is taken up by one of two processes', async () => {
      const id = await aLatePayment();
      const replica = await shop.service.replica();
      try {
        await Promise.all([shop.service.sweep(), replica.sweep()]);
      } finally {
        await replica.stop();
      }
      expect(refundsOf(id)).toHaveLength(1);
      expect(await late()).toMatchObject({ status: 'returned' });
    });
  });

  it('is listed for the back office, newest first, by status, reason and account', async () => {
    const visits = [await atCheckout(shop, owner), await atCheckout(shop, owner)];
    for (const visit of visits) {
      await owner.api.delete(`/v1/payments/${visit.link.id}`);
      await paid(visit);
    }
    const { api } = await shop.admin();
    const of = async (query: string): Promise<any> =>
      (await api.get(`/v1/late-payments?account_id=${owner.accountId}&${query}`)).body;
    const ids = async (query: string): Promise<string[]> => (await of(query)).data.map(({ id }: any) => id);
    const all = await ids('');
    expect(all).toHaveLength(2);
    expect(all.toSorted().toReversed()).toEqual(all);
    expect(await of('limit=1')).toMatchObject({ object: 'list', has_more: true, data: [{ id: all[0] }] });
    expect(await ids(`starting_after=${all[0]}`)).toEqual([all[1]]);
    expect(await ids(`ending_before=${all[1]}`)).toEqual([all[0]]);
    expect(await ids('status=received&reason=canceled')).toEqual(all);
    expect(await ids('status=stuck')).toEqual([]);
    expect(await ids('reason=expired')).toEqual([]);
    expect((await api.get(`/v1/late-payments/${all[0]}`)).body).toMatchObject({ id: all[0] });
    for (const query of [
      'status=paid',
      'reason=x',
      'starting_after=late_01k9x8v2t4e6rb3m5n7p9q1s0w',
      'x=1',
    ]) {
      expect((await api.get(`/v1/late-payments?${query}`)).body.error).toBe('invalid_request');
    }
  });

  it('is never lost from the service: nothing reported, the sweep finds it and sends it back', async () => {
    const visit = await atCheckout(shop, owner);
    shop.stripe.pay(visit.session);
    await owner.api.delete(`/v1/payments/${visit.link.id}`);
    await shop.service.sweep();
    await shop.service.sweep();
    expect(await late()).toMatchObject({ reason: 'canceled', status: 'returned' });
    expect(await statusOf(owner.api, visit.link)).toBe('canceled');
  });
});

describe('Money that an operator finds too late', () => {
  let shop: Shop;
  let owner: Owner;

  beforeAll(async () => {
    shop = await openShop({ PROCESSOR: 'manual' });
  });
  afterAll(() => shop.stop());
  beforeEach(async () => {
    owner = await anOwner(shop.service.api);
  });

  const record = async (id: string, amount = 1250, headers = {}): Promise<[number, any]> => {
    const { api } = await shop.admin();
    const { status, body } = await api.post(`/v1/payments/${id}/late-payments`, { amount }, { headers });
    return [status, body];
  };

  it('is refused as a settlement, which says how to record it, and is recorded, also for a closed account', async () => {
    const { api } = await shop.admin();
    const { id } = await aLink(shop.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const settled = await api.post(`/v1/payments/${id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    expect([settled.status, settled.body.message]).toEqual([
      409,
      expect.stringContaining(`POST /v1/payments/${id}/late-payments`),
    ]);
    const members = { payment_id: id, amount: 1250, status: 'received', processor_reference: null };
    expect(await record(id)).toMatchObject([201, { ...members, reason: 'canceled' }]);
    await owner.api.delete('/v1/account');
    expect(await record(id)).toMatchObject([201, { ...members, reason: 'account_closed' }]);
    expect(await latePaymentsOf(shop, owner.accountId)).toHaveLength(2);
    expect(await journalOf(shop, owner.accountId)).toBe(0);
  });

  it('waits for a person, who says once that it is back', async () => {
    const { id } = await aLink(shop.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const [, recorded] = await record(id);
    shop.service.clock.move({ minutes: 6000 });
    await shop.service.sweep();
    const { api } = await shop.admin();
    const path = `/v1/late-payments/${recorded.id}`;
    expect((await api.get(path)).body.status).toBe('received');
    const resolve = async (outcome: string): Promise<string> => {
      const { body } = await api.post(`${path}/resolution`, { outcome });
      return body.error ?? body.status;
    };
    expect(await resolve('retry')).toBe('conflict');
    expect(await resolve('returned')).toBe('returned');
    expect(await resolve('returned')).toBe('returned');
    expect((await api.get(path)).body.returned_at).not.toBeNull();
  });

  it('is recorded for every reason, and what would pay the request is not', async () => {
    const { api } = await shop.admin();
    const open = await aLink(shop.service, owner);
    expect(await record(open.id)).toMatchObject([409, { error: 'conflict' }]);
    expect(await record(open.id, 1000)).toMatchObject([201, { reason: 'amount_mismatch', amount: 1000 }]);
    expect(await statusOf(owner.api, open)).toBe('pending');
    await api.post(`/v1/payments/${open.id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    expect(await record(open.id)).toMatchObject([201, { reason: 'already_paid' }]);
    const failed = await aLink(shop.service, owner);
    await api.post(`/v1/payments/${failed.id}/settlement`, { outcome: 'failed', amount: 1250 });
    expect(await record(failed.id)).toMatchObject([201, { reason: 'failed' }]);
  });

  it('is recorded once for one Idempotency-Key', async () => {
    const { id } = await aLink(shop.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const headers = { 'idempotency-key': 'transfer-1' };
    const answers = await Promise.all([1, 2, 3].map(() => record(id, 1250, headers)));
    expect(new Set(answers.map(([, body]) => body.id)).size).toBe(1);
    expect(await latePaymentsOf(shop, owner.accountId)).toHaveLength(1);
  });
});
