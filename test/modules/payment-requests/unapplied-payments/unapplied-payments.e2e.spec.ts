import { aTransaction } from '../../../support/request-bodies';
import { anOwner, created, Owner } from '../../../support/people';
import { aPaymentLink, statusOf } from '../../../support/payment-page';
import {
  startCheckout,
  balanceOf,
  journalOf,
  unappliedPaymentsOf,
  startWithStripe,
  submitPayment,
  deliverEvent,
  StripeSetup,
  stateOfPage,
} from '../../../support/stripe-service';

describe('An unapplied payment through Stripe', () => {
  let setup: StripeSetup;
  let owner: Owner;

  beforeAll(async () => {
    setup = await startWithStripe();
  });
  afterAll(() => setup.stop());
  beforeEach(async () => {
    owner = await anOwner(setup.service.api);
    setup.stripe.newRefundStatus = 'succeeded';
    setup.stripe.clearFaults();
  });

  type Visit = Awaited<ReturnType<typeof startCheckout>>;
  const paid = async ({ session }: Visit): Promise<void> =>
    deliverEvent(setup, 'checkout.session.completed', setup.stripe.pay(session));
  const latest = async (): Promise<any> => (await unappliedPaymentsOf(setup, owner.accountId))[0];
  const refundsOf = (id: string) =>
    [...setup.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
  const resolve = async (id: string, outcome: string): Promise<[number, string]> => {
    const { api } = await setup.admin();
    const { status, body } = await api.post(`/v1/unapplied-payments/${id}/resolution`, { outcome });
    return [status, body.error ?? body.status];
  };
  const later = async (minutes: number): Promise<void> => {
    setup.service.clock.move({ minutes });
    await setup.service.tryDueTasks();
  };
  const soon = (): string => new Date(setup.service.clock.now().getTime() + 35 * 60_000).toISOString();

  const cases: Record<string, (visit: Visit) => Promise<void>> = {
    canceled: async ({ link }) => void (await owner.api.delete(`/v1/payments/${link.id}`)),
    expired: async () => setup.service.clock.move({ minutes: 36 }),
    failed: async ({ link }) => settle(link.id, 'failed'),
    already_paid: async ({ link }) => settle(link.id, 'succeeded'),
    account_closed: async () => void (await owner.api.delete('/v1/account')),
    amount_mismatch: async ({ session }) => void (session.amount_total = 1200),
  };

  async function settle(id: string, outcome: string): Promise<void> {
    const { api } = await setup.admin();
    await api.post(`/v1/payments/${id}/settlement`, { outcome, amount: 1250 });
  }

  it.each(Object.keys(cases))('is recorded as %s, returned once in full, and not posted', async (reason) => {
    const visit = await startCheckout(setup, owner, { expires_at: soon() });
    await cases[reason]!(visit);
    const before = await journalOf(setup, owner.accountId);
    await paid(visit);
    await deliverEvent(setup, 'checkout.session.completed', visit.session); // repeated
    const { id, ...shown } = await latest();
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toHaveLength(1);
    const amount = reason === 'amount_mismatch' ? 1200 : 1250;
    expect(shown).toEqual({
      account_id: owner.accountId,
      payment_request_id: visit.link.id,
      amount,
      currency: 'USD',
      reason,
      status: 'received',
      processor_reference: visit.session.payment_intent,
      failure_reason: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      returned_at: null,
    });
    await Promise.all([1, 2, 3].map(() => setup.service.runDueTasks()));
    await later(600);
    expect(refundsOf(id)).toMatchObject([{ amount, payment_intent: visit.session.payment_intent }]);
    expect(await latest()).toMatchObject({ id, status: 'returned', returned_at: expect.any(String) });
    expect(await journalOf(setup, owner.accountId)).toBe(before);
    // An event that is repeated much later changes nothing.
    await deliverEvent(setup, 'checkout.session.completed', visit.session);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toHaveLength(1);
  });

  it('expires the request when its time is over, before or after the periodic task runs', async () => {
    for (const tasksFirst of [true, false]) {
      const visit = await startCheckout(setup, owner, { expires_at: soon() });
      setup.stripe.pay(visit.session);
      setup.service.clock.move({ minutes: 36 });
      if (tasksFirst) await setup.service.runDueTasks();
      await deliverEvent(setup, 'checkout.session.completed', visit.session);
      expect([await statusOf(owner.api, visit.link), await stateOfPage(visit.link.url)]).toEqual([
        'canceled',
        'unapplied',
      ]);
      expect(await latest()).toMatchObject({ payment_request_id: visit.link.id, reason: 'expired' });
    }
  });

  it('leaves a request of another amount open', async () => {
    const visit = await startCheckout(setup, owner);
    visit.session.amount_total = 1200;
    await paid(visit);
    expect(await stateOfPage(visit.link.url)).toBe('pay');
    await submitPayment(visit.link.url);
    const second = setup.stripe.sessionsOf(visit.link.id)[1]!;
    await paid({ link: visit.link, session: second });
    expect(await statusOf(owner.api, visit.link)).toBe('succeeded');
    expect((await balanceOf(owner.api)).posted).toBe(1250);
  });

  it('is the second of two payments for the same request', async () => {
    const visit = await startCheckout(setup, owner);
    await deliverEvent(setup, 'checkout.session.expired', { ...visit.session, status: 'expired' }); // although it is still open
    await submitPayment(visit.link.url);
    const [first, second] = setup.stripe.sessionsOf(visit.link.id);
    expect(second).toBeDefined();
    await paid({ link: visit.link, session: first! });
    expect(await statusOf(owner.api, visit.link)).toBe('succeeded');
    await deliverEvent(setup, 'checkout.session.completed', first!); // a repeat: this session paid the request
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toEqual([]);
    await paid({ link: visit.link, session: second! });
    expect(await latest()).toMatchObject({ reason: 'already_paid', status: 'received' });
    await setup.service.runDueTasks();
    expect((await balanceOf(owner.api)).posted).toBe(1250);
    expect(await latest()).toMatchObject({ status: 'returned' });
  });

  it('is recorded as rejected beyond the largest balance, and the request stays open', async () => {
    const api = (await setup.admin()).api;
    const visit = await startCheckout(setup, owner);
    const amount = Number.MAX_SAFE_INTEGER - 1000;
    await created(api, '/v1/transactions', aTransaction(owner.accountId, { type: 'credit', amount }));
    await paid(visit);
    expect(await latest()).toMatchObject({ reason: 'rejected', amount: 1250 });
    await deliverEvent(setup, 'checkout.session.completed', visit.session);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toHaveLength(1);
    expect(await statusOf(owner.api, visit.link)).toBe('pending');
    await setup.service.runDueTasks();
    expect(await latest()).toMatchObject({ status: 'returned' });
    expect((await balanceOf(owner.api)).posted).toBe(amount);
  });

  describe('while it is being returned', () => {
    /** A payment of a canceled request. @returns the id of the unapplied payment */
    async function anUnappliedPayment(): Promise<string> {
      const visit = await startCheckout(setup, owner);
      await owner.api.delete(`/v1/payments/${visit.link.id}`);
      await paid(visit);
      return (await latest()).id;
    }

    it('is returned when Stripe reports it, by an event or when retrieved', async () => {
      setup.stripe.newRefundStatus = 'pending';
      const reported = await anUnappliedPayment();
      await setup.service.runDueTasks();
      expect(await latest()).toMatchObject({ status: 'received' });
      await deliverEvent(setup, 'refund.updated', setup.stripe.end(refundsOf(reported)[0]!, 'succeeded'));
      expect(await latest()).toMatchObject({ id: reported, status: 'returned' });
      const retrieved = await anUnappliedPayment();
      await setup.service.runDueTasks();
      setup.stripe.end(refundsOf(retrieved)[0]!, 'succeeded');
      await later(6 * 60 + 1);
      expect(await latest()).toMatchObject({ id: retrieved, status: 'returned' });
      expect([refundsOf(reported).length, refundsOf(retrieved).length]).toEqual([1, 1]);
    });

    it('needs attention when Stripe rejects the refund, until a retry succeeds', async () => {
      const id = await anUnappliedPayment();
      setup.stripe.fail(/^POST \/v1\/refunds$/, { status: 400, code: 'balance_insufficient' });
      await setup.service.runDueTasks();
      expect(await latest()).toMatchObject({
        status: 'needs_attention',
        failure_reason: 'balance_insufficient',
      });
      await later(600);
      expect(refundsOf(id)).toEqual([]);
      expect(await resolve(id, 'retry')).toEqual([200, 'received']);
      expect(await resolve(id, 'retry')).toEqual([409, 'conflict']);
      expect(await resolve(id, 'returned')).toEqual([409, 'conflict']); // the service is returning it
      await setup.service.runDueTasks();
      expect(await latest()).toMatchObject({ status: 'returned', failure_reason: null });
      expect(refundsOf(id)).toHaveLength(1);
    });

    it('stays returned once an operator has resolved it', async () => {
      const id = await anUnappliedPayment();
      setup.stripe.newRefundStatus = 'failed';
      await setup.service.runDueTasks();
      expect(await latest()).toMatchObject({ status: 'needs_attention', failure_reason: 'declined' });
      expect(await resolve(id, 'returned')).toEqual([200, 'returned']);
      expect(await resolve(id, 'returned')).toEqual([200, 'returned']);
      expect(await resolve(id, 'retry')).toEqual([409, 'conflict']);
      await deliverEvent(setup, 'refund.failed', refundsOf(id)[0]!);
      expect(await latest()).toMatchObject({ status: 'returned', failure_reason: null });
    });

    it('is refunded anew at Stripe after a retry', async () => {
      const id = await anUnappliedPayment();
      setup.stripe.newRefundStatus = 'failed';
      await setup.service.runDueTasks();
      setup.stripe.newRefundStatus = 'succeeded';
      await resolve(id, 'retry');
      await setup.service.runDueTasks();
      expect(refundsOf(id).map(({ status }) => status)).toEqual(['failed', 'succeeded']);
      expect(await latest()).toMatchObject({ status: 'returned' });
      await deliverEvent(setup, 'refund.updated', refundsOf(id)[0]!); // of the first refund: ignored
      expect(await latest()).toMatchObject({ status: 'returned' });
    });

    it('needs attention when the refund fails after it had succeeded, in any order of the events', async () => {
      const id = await anUnappliedPayment();
      await setup.service.runDueTasks();
      const [refund] = refundsOf(id);
      const arrived = setup.stripe.event('refund.updated', { ...refund });
      await deliverEvent(
        setup,
        'refund.failed',
        setup.stripe.end(refund!, 'failed', 'expired_or_canceled_card'),
      );
      expect(await latest()).toMatchObject({
        status: 'needs_attention',
        failure_reason: 'expired_or_canceled_card',
        returned_at: null,
      });
      expect(await setup.stripe.deliver(setup.service.url, arrived)).toBe(200);
      expect(await latest()).toMatchObject({ status: 'needs_attention' });
    });

    it('is returned once when the response is lost', async () => {
      const id = await anUnappliedPayment();
      setup.stripe.fail(/^POST \/v1\/refunds$/, 'lost', 2);
      await setup.service.tryDueTasks();
      expect([(await latest()).status, refundsOf(id).length]).toEqual(['received', 1]);
      setup.stripe.deleteIdempotencyKeys();
      await later(2);
      expect([(await latest()).status, refundsOf(id).length]).toEqual(['returned', 1]);
    });

    it('needs attention when Stripe has failed for half a day, and is returned when Stripe reports it later', async () => {
      const id = await anUnappliedPayment();
      setup.stripe.fail(/refunds/, { status: 403, code: 'permission_denied' }, 1000);
      let attempts = 0;
      for (let hour = 0; hour < 30 && (await latest()).status === 'received'; hour += 1) {
        const before = setup.stripe.count(/refunds/);
        await later(hour < 3 ? 20 : 181);
        attempts += setup.stripe.count(/refunds/) - before;
      }
      expect(await latest()).toMatchObject({ status: 'needs_attention', failure_reason: 'no_response' });
      expect(attempts).toBe(10);
      await later(6000);
      expect(await latest()).toMatchObject({ status: 'needs_attention' });
      const refund = { id: 're_1', object: 'refund', status: 'succeeded' };
      const metadata = { account_id: owner.accountId, order: id, round: '1' };
      await deliverEvent(setup, 'refund.updated', { ...refund, metadata });
      expect(await latest()).toMatchObject({ status: 'returned', failure_reason: null });
    });

    it('is returned once by two replicas that find it at the same time', async () => {
      const id = await anUnappliedPayment();
      const replica = await setup.service.replica();
      try {
        await Promise.all([setup.service.runDueTasks(), replica.runDueTasks()]);
      } finally {
        await replica.stop();
      }
      expect(refundsOf(id)).toHaveLength(1);
      expect(await latest()).toMatchObject({ status: 'returned' });
    });
  });

  it('is found and returned by the periodic tasks when no event arrives', async () => {
    const visit = await startCheckout(setup, owner);
    setup.stripe.pay(visit.session);
    await owner.api.delete(`/v1/payments/${visit.link.id}`);
    await setup.service.runDueTasks();
    await setup.service.runDueTasks();
    expect(await latest()).toMatchObject({ reason: 'canceled', status: 'returned' });
    expect(await statusOf(owner.api, visit.link)).toBe('canceled');
  });
});

describe('An unapplied payment that an operator records', () => {
  let setup: StripeSetup;
  let owner: Owner;

  beforeAll(async () => {
    setup = await startWithStripe({ PROCESSOR: 'manual' });
  });
  afterAll(() => setup.stop());
  beforeEach(async () => {
    owner = await anOwner(setup.service.api);
  });

  const record = async (id: string, amount = 1250, headers = {}): Promise<[number, any]> => {
    const { api } = await setup.admin();
    const { status, body } = await api.post(`/v1/payments/${id}/unapplied-payments`, { amount }, { headers });
    return [status, body];
  };

  it('is rejected as a settlement, and recorded also for a closed account', async () => {
    const { api } = await setup.admin();
    const { id } = await aPaymentLink(setup.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const settled = await api.post(`/v1/payments/${id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    expect([settled.status, settled.body.message]).toEqual([
      409,
      expect.stringContaining(`POST /v1/payments/${id}/unapplied-payments`),
    ]);
    const members = { payment_request_id: id, amount: 1250, status: 'received', processor_reference: null };
    expect(await record(id)).toMatchObject([201, { ...members, reason: 'canceled' }]);
    await owner.api.delete('/v1/account');
    expect(await record(id)).toMatchObject([201, { ...members, reason: 'account_closed' }]);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toHaveLength(2);
    expect(await journalOf(setup, owner.accountId)).toBe(0);
  });

  it('is resolved by an operator, since the service cannot return it', async () => {
    const { id } = await aPaymentLink(setup.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const [, recorded] = await record(id);
    setup.service.clock.move({ minutes: 6000 });
    await setup.service.runDueTasks();
    const { api } = await setup.admin();
    const path = `/v1/unapplied-payments/${recorded.id}`;
    expect((await api.get(path)).body.status).toBe('received');
    const resolve = async (outcome: string): Promise<string> => {
      const { body } = await api.post(`${path}/resolution`, { outcome });
      return body.error ?? body.status;
    };
    expect(await resolve('retry')).toBe('conflict');
    expect(await resolve('returned')).toBe('returned');
    expect(await resolve('returned')).toBe('returned');
    expect((await api.get(path)).body.returned_at).not.toBeNull();
    const { body } = await api.get(`/v1/audit-log?object_id=${recorded.id}&action=unapplied_payment.resolve`);
    expect(body.data).toHaveLength(1);
  });

  it('is recorded for every reason, unless it would pay the request', async () => {
    const { api } = await setup.admin();
    const open = await aPaymentLink(setup.service, owner);
    expect(await record(open.id)).toMatchObject([409, { error: 'conflict' }]);
    expect(await record(open.id, 1000)).toMatchObject([201, { reason: 'amount_mismatch', amount: 1000 }]);
    expect(await statusOf(owner.api, open)).toBe('pending');
    await api.post(`/v1/payments/${open.id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    expect(await record(open.id)).toMatchObject([201, { reason: 'already_paid' }]);
    const failed = await aPaymentLink(setup.service, owner);
    await api.post(`/v1/payments/${failed.id}/settlement`, { outcome: 'failed', amount: 1250 });
    expect(await record(failed.id)).toMatchObject([201, { reason: 'failed' }]);
  });

  it('is recorded once for each Idempotency-Key', async () => {
    const { id } = await aPaymentLink(setup.service, owner);
    await owner.api.delete(`/v1/payments/${id}`);
    const headers = { 'idempotency-key': 'transfer-1' };
    const responses = await Promise.all([1, 2, 3].map(() => record(id, 1250, headers)));
    expect(new Set(responses.map(([, body]) => body.id)).size).toBe(1);
    expect(await unappliedPaymentsOf(setup, owner.accountId)).toHaveLength(1);
  });
});
