import { aTransaction } from '../../support/request-bodies';
import { anOwner, created, Owner } from '../../support/people';
import {
  aPayment,
  balanceOf,
  journalOf,
  startWithStripe,
  deliverEvent,
  StripeSetup,
} from '../../support/stripe-service';

describe('A refund of a payment through Stripe', () => {
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

  const refund = (source: string, amount = 1000, of: Owner = owner): Promise<any> =>
    created(of.api, '/v1/transactions', {
      ...aTransaction(of.accountId, { type: 'refund', amount }),
      source_transaction_id: source,
    });
  const statusOf = async (id: string): Promise<string> =>
    (await (await setup.admin()).api.get(`/v1/transactions/${id}`)).body.status;
  const atStripe = (id: string) =>
    [...setup.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
  const later = async (minutes: number): Promise<void> => {
    setup.service.clock.move({ minutes });
    await setup.service.tryDueTasks();
  };

  it('is pending and holds its amount until it is sent to Stripe, and is sent once', async () => {
    const { id, status } = await refund(await aPayment(setup, owner));
    expect(status).toBe('pending');
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 1000, available: 250 });
    expect(atStripe(id)).toEqual([]);
    await Promise.all([1, 2, 3].map(() => setup.service.runDueTasks()));
    await later(60);
    expect(atStripe(id)).toMatchObject([
      { amount: 1000, currency: 'usd', metadata: { account_id: owner.accountId, order: id } },
    ]);
    expect(await statusOf(id)).toBe('succeeded');
    expect(await balanceOf(owner.api)).toEqual({ posted: 250, held: 0, available: 250 });
    expect(await journalOf(setup, owner.accountId)).toBe(250);
    await deliverEvent(setup, 'refund.updated', atStripe(id)[0]!);
    expect((await balanceOf(owner.api)).posted).toBe(250);
  });

  it('is sent once by two replicas that find it at the same time', async () => {
    const { id } = await refund(await aPayment(setup, owner));
    const replica = await setup.service.replica();
    try {
      await Promise.all([setup.service.runDueTasks(), replica.runDueTasks()]);
    } finally {
      await replica.stop();
    }
    expect(atStripe(id)).toHaveLength(1);
    expect(await statusOf(id)).toBe('succeeded');
  });

  it.each([
    ['succeeded', 'refund.updated', 'succeeded', 250],
    ['failed', 'refund.failed', 'failed', 1250],
    ['failed', 'charge.refund.updated', 'failed', 1250],
  ] as const)('ends as Stripe reports: %s (%s)', async (end, event, status, posted) => {
    setup.stripe.newRefundStatus = 'pending';
    const { id } = await refund(await aPayment(setup, owner));
    await setup.service.runDueTasks();
    expect(await statusOf(id)).toBe('pending');
    const [sent] = atStripe(id);
    await deliverEvent(setup, event, setup.stripe.end(sent!, end));
    expect(await statusOf(id)).toBe(status);
    expect(await balanceOf(owner.api)).toEqual({ posted, held: 0, available: posted });
    await later(600);
    expect(atStripe(id)).toHaveLength(1);
  });

  it('is retrieved when no event arrives', async () => {
    setup.stripe.newRefundStatus = 'pending';
    const { id } = await refund(await aPayment(setup, owner));
    await setup.service.runDueTasks();
    setup.stripe.end(atStripe(id)[0]!, 'succeeded');
    await setup.service.runDueTasks();
    expect(await statusOf(id)).toBe('pending');
    await later(2);
    expect(await statusOf(id)).toBe('succeeded');
    expect(setup.stripe.count(/^POST \/v1\/refunds$/)).toBeGreaterThan(0);
    expect(atStripe(id)).toHaveLength(1);
  });

  it('cannot be canceled, settled or ended by closing the account once it is sent', async () => {
    setup.stripe.newRefundStatus = 'pending';
    const { id } = await refund(await aPayment(setup, owner));
    await setup.service.runDueTasks();
    const canceled = await owner.api.delete(`/v1/transactions/${id}`);
    expect([canceled.status, canceled.body.error]).toEqual([409, 'not_cancellable']);
    for (const outcome of ['succeeded', 'failed']) {
      const settled = await (await setup.admin()).api.post(`/v1/transactions/${id}/settlement`, { outcome });
      expect([settled.status, settled.body.error]).toEqual([409, 'conflict']);
    }
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    expect(await statusOf(id)).toBe('pending');
    await deliverEvent(setup, 'refund.updated', setup.stripe.end(atStripe(id)[0]!, 'succeeded'));
    expect(await statusOf(id)).toBe('succeeded');
    expect(await journalOf(setup, owner.accountId)).toBe(250);
  });

  it('can be canceled before it is sent, and is then never sent', async () => {
    const { id } = await refund(await aPayment(setup, owner));
    expect((await owner.api.delete(`/v1/transactions/${id}`)).status).toBe(200);
    await setup.service.runDueTasks();
    expect(atStripe(id)).toEqual([]);
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
  });

  it('is either canceled or sent when both happen at once', async () => {
    const source = await aPayment(setup, owner);
    for (let round = 0; round < 6; round += 1) {
      const { id } = await refund(source, 100);
      const [canceled] = await Promise.all([
        owner.api.delete(`/v1/transactions/${id}`),
        setup.service.runDueTasks(),
      ]);
      const status = await statusOf(id);
      expect([canceled.status, status, atStripe(id).length]).toEqual(
        canceled.status === 200 ? [200, 'canceled', 0] : [409, 'succeeded', 1],
      );
    }
  });

  it.each(['charge_already_refunded', 'balance_insufficient'])(
    'fails and releases its amount when Stripe rejects it: %s',
    async (code) => {
      const source = await aPayment(setup, owner);
      const { id } = await refund(source);
      setup.stripe.fail(/^POST \/v1\/refunds$/, { status: 400, code });
      await setup.service.runDueTasks();
      expect(await statusOf(id)).toBe('failed');
      expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
      const again = await refund(source, 1250); // the amount of the failed refund can be refunded again
      await setup.service.runDueTasks();
      expect(await statusOf(again.id)).toBe('succeeded');
    },
  );

  it('is sent again when the response is lost, and is the same refund at Stripe', async () => {
    const { id } = await refund(await aPayment(setup, owner));
    setup.stripe.fail(/^POST \/v1\/refunds$/, 'lost', 2);
    await setup.service.tryDueTasks();
    expect([await statusOf(id), atStripe(id).length]).toEqual(['pending', 1]);
    await later(2);
    expect([await statusOf(id), atStripe(id).length]).toEqual(['succeeded', 1]);
  });

  it('is found at Stripe after a crash, also when the idempotency key has expired', async () => {
    const { id } = await refund(await aPayment(setup, owner));
    await setup.service.sql('ALTER TABLE journal_entries RENAME TO hidden'); // the deliverEvent cannot be applied
    await setup.service.tryDueTasks();
    await setup.service.sql('ALTER TABLE hidden RENAME TO journal_entries');
    expect([await statusOf(id), atStripe(id).length]).toEqual(['pending', 1]);
    setup.stripe.deleteIdempotencyKeys();
    await later(60 * 24 * 3);
    expect([await statusOf(id), atStripe(id).length]).toEqual(['succeeded', 1]);
    expect(await journalOf(setup, owner.accountId)).toBe(250);
  });

  it.each([500, { status: 403, code: 'permission_denied' }] as const)(
    'is repeated with growing delays while Stripe fails: %j',
    async (fault) => {
      const source = await aPayment(setup, owner);
      const { id } = await refund(source);
      const [row] = await setup.service.sql<{ payment: string }>(
        'SELECT processor_reference AS payment FROM transactions WHERE id = $1',
        [source],
      );
      const calls = (): number =>
        setup.stripe.calls.filter(({ body }) => body.get('payment_intent') === row!.payment).length;
      setup.stripe.fail(/refunds/, fault, 1000);
      const attempts: number[] = [];
      for (let minute = 0; minute < 60; minute += 5) {
        const before = calls();
        await later(5);
        if (calls() > before) attempts.push(minute);
      }
      expect(attempts.length).toBeGreaterThan(3);
      expect(attempts.length).toBeLessThan(10);
      expect(attempts.at(-1)! - attempts.at(-2)!).toBeGreaterThan(attempts[1]! - attempts[0]!);
      setup.stripe.clearFaults();
      expect(await statusOf(id)).toBe('pending');
      await later(60);
      expect(await statusOf(id)).toBe('succeeded');
    },
  );

  it('pauses all refunds when Stripe fails, then sends the others, and each again after a delay', async () => {
    const source = await aPayment(setup, owner);
    for (let count = 0; count < 3; count += 1) await refund(source, 100);
    setup.stripe.fail(/^GET \/v1\/refunds/, 500, 1);
    await setup.service.tryDueTasks();
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 300, available: 950 });
    await setup.service.tryDueTasks();
    expect(await balanceOf(owner.api)).toEqual({ posted: 1050, held: 100, available: 950 });
    await setup.service.tryDueTasks();
    expect(await balanceOf(owner.api)).toEqual({ posted: 1050, held: 100, available: 950 });
    await later(2);
    expect(await balanceOf(owner.api)).toEqual({ posted: 950, held: 0, available: 950 });
  });

  it('stays succeeded when it fails later, and the log says so', async () => {
    const { id } = await refund(await aPayment(setup, owner));
    await setup.service.runDueTasks();
    await deliverEvent(
      setup,
      'refund.failed',
      setup.stripe.end(atStripe(id)[0]!, 'failed', 'lost_or_stolen_card'),
    );
    expect(await statusOf(id)).toBe('succeeded');
    expect(setup.service.logged.join('')).toContain(
      `The processor reports ${id} as failed, but it is succeeded`,
    );
  });

  it("is converted to Stripe's unit, or rejected", async () => {
    const icelander = await anOwner(setup.service.api, { currency: 'ISK' });
    const paid = await aPayment(setup, icelander, { currency: 'ISK' });
    const members = { currency: 'ISK', type: 'refund', amount: 7, source_transaction_id: paid };
    const { id } = await created(
      icelander.api,
      '/v1/transactions',
      aTransaction(icelander.accountId, members),
    );
    await setup.service.runDueTasks();
    expect(atStripe(id)).toMatchObject([{ amount: 700, currency: 'isk' }]);
    const kuwaiti = await anOwner(setup.service.api, { currency: 'KWD' });
    const source = await aPayment(setup, kuwaiti, { currency: 'KWD' });
    const { status, body } = await kuwaiti.api.post('/v1/transactions', {
      ...aTransaction(kuwaiti.accountId, { currency: 'KWD', type: 'refund', amount: 7 }),
      source_transaction_id: source,
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('Other transactions with Stripe', () => {
  let setup: StripeSetup;
  let owner: Owner;

  beforeAll(async () => {
    setup = await startWithStripe();
    owner = await anOwner(setup.service.api);
  });
  afterAll(() => setup.stop());

  it('are settled by an operator and never sent to Stripe', async () => {
    const record = (by: Owner['api'], members: object): Promise<any> =>
      created(by, '/v1/transactions', aTransaction(owner.accountId, { amount: 100, ...members }));
    const settle = async (id: string): Promise<string> =>
      (await (await setup.admin()).api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' }))
        .body.status;
    expect((await record((await setup.admin()).api, { type: 'credit' })).status).toBe('succeeded');
    const credit = await record(owner.api, { type: 'credit', metadata: { sandbox_outcome: 'succeeded' } });
    const payment = await record(owner.api, { type: 'payment' });
    const refund = await record(owner.api, { type: 'refund' });
    for (const { id, status } of [credit, payment, refund]) {
      expect([status, await settle(id)]).toEqual(['pending', 'succeeded']);
    }
    const back = await record(owner.api, { type: 'refund', source_transaction_id: payment.id });
    await setup.service.runDueTasks();
    setup.service.clock.move({ minutes: 600 });
    await setup.service.runDueTasks();
    expect([back.status, await settle(back.id)]).toEqual(['pending', 'succeeded']);
    expect(setup.stripe.calls).toEqual([]);
  });
});
