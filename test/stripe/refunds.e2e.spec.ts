import { aTransaction } from '../support/movements';
import { anOwner, created, Owner } from '../support/people';
import { aPayment, balanceOf, journalOf, openShop, report, Shop } from './shop';

describe('A refund of what was paid at Stripe', () => {
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

  const refund = (source: string, amount = 1000, of: Owner = owner): Promise<any> =>
    created(of.api, '/v1/transactions', {
      ...aTransaction(of.accountId, { type: 'refund', amount }),
      source_transaction_id: source,
    });
  const statusOf = async (id: string): Promise<string> =>
    (await (await shop.admin()).api.get(`/v1/transactions/${id}`)).body.status;
  const atStripe = (id: string) =>
    [...shop.stripe.refunds.values()].filter(({ metadata }) => metadata!['order'] === id);
  const later = async (minutes: number): Promise<void> => {
    shop.service.clock.move({ minutes });
    await shop.service.sweep();
  };

  it('is pending and holds the money until Stripe has it, then has happened, once', async () => {
    const { id, status } = await refund(await aPayment(shop, owner));
    expect(status).toBe('pending');
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 1000, available: 250 });
    expect(atStripe(id)).toEqual([]);
    await Promise.all([1, 2, 3].map(() => shop.service.sweep()));
    await later(60);
    expect(atStripe(id)).toMatchObject([
      { amount: 1000, currency: 'usd', metadata: { account_id: owner.accountId, order: id } },
    ]);
    expect(await statusOf(id)).toBe('succeeded');
    expect(await balanceOf(owner.api)).toEqual({ posted: 250, held: 0, available: 250 });
    expect(await journalOf(shop, owner.accountId)).toBe(250);
    await report(shop, 'refund.updated', atStripe(id)[0]!);
    expect((await balanceOf(owner.api)).posted).toBe(250);
  });

  it('is sent once by two processes that find it at the same time', async () => {
    const { id } = await refund(await aPayment(shop, owner));
    const replica = await shop.service.replica();
    try {
      await Promise.all([shop.service.sweep(), replica.sweep()]);
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
  ] as const)('that Stripe has in hand ends by its word: %s (%s)', async (end, event, status, posted) => {
    shop.stripe.refundsBegin = 'pending';
    const { id } = await refund(await aPayment(shop, owner));
    await shop.service.sweep();
    expect(await statusOf(id)).toBe('pending');
    const [sent] = atStripe(id);
    await report(shop, event, shop.stripe.end(sent!, end));
    expect(await statusOf(id)).toBe(status);
    expect(await balanceOf(owner.api)).toEqual({ posted, held: 0, available: posted });
    await later(600);
    expect(atStripe(id)).toHaveLength(1);
  });

  it('that Stripe has in hand is asked after when no word comes', async () => {
    shop.stripe.refundsBegin = 'pending';
    const { id } = await refund(await aPayment(shop, owner));
    await shop.service.sweep();
    shop.stripe.end(atStripe(id)[0]!, 'succeeded');
    await shop.service.sweep();
    expect(await statusOf(id)).toBe('pending');
    await later(2);
    expect(await statusOf(id)).toBe('succeeded');
    expect(shop.stripe.count(/^POST \/v1\/refunds$/)).toBeGreaterThan(0);
    expect(atStripe(id)).toHaveLength(1);
  });

  it("that Stripe has in hand is nobody else's: not canceled, not reported, not ended by closing the account", async () => {
    shop.stripe.refundsBegin = 'pending';
    const { id } = await refund(await aPayment(shop, owner));
    await shop.service.sweep();
    const canceled = await owner.api.delete(`/v1/transactions/${id}`);
    expect([canceled.status, canceled.body.error]).toEqual([409, 'not_cancellable']);
    for (const outcome of ['succeeded', 'failed']) {
      const settled = await (await shop.admin()).api.post(`/v1/transactions/${id}/settlement`, { outcome });
      expect([settled.status, settled.body.error]).toEqual([409, 'conflict']);
    }
    expect((await owner.api.delete('/v1/account')).status).toBe(200);
    expect(await statusOf(id)).toBe('pending');
    await report(shop, 'refund.updated', shop.stripe.end(atStripe(id)[0]!, 'succeeded'));
    expect(await statusOf(id)).toBe('succeeded');
    expect(await journalOf(shop, owner.accountId)).toBe(250);
  });

  it('that was not sent yet can be canceled, and is then never sent', async () => {
    const { id } = await refund(await aPayment(shop, owner));
    expect((await owner.api.delete(`/v1/transactions/${id}`)).status).toBe(200);
    await shop.service.sweep();
    expect(atStripe(id)).toEqual([]);
    expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
  });

  it('raced by a cancel is either canceled and never sent, or sent and not canceled', async () => {
    const source = await aPayment(shop, owner);
    for (let round = 0; round < 6; round += 1) {
      const { id } = await refund(source, 100);
      const [canceled] = await Promise.all([
        owner.api.delete(`/v1/transactions/${id}`),
        shop.service.sweep(),
      ]);
      const status = await statusOf(id);
      expect([canceled.status, status, atStripe(id).length]).toEqual(
        canceled.status === 200 ? [200, 'canceled', 0] : [409, 'succeeded', 1],
      );
    }
  });

  it.each(['charge_already_refunded', 'balance_insufficient'])(
    'that Stripe refuses (%s) fails and frees its money',
    async (code) => {
      const source = await aPayment(shop, owner);
      const { id } = await refund(source);
      shop.stripe.fail(/^POST \/v1\/refunds$/, { status: 400, code });
      await shop.service.sweep();
      expect(await statusOf(id)).toBe('failed');
      expect(await balanceOf(owner.api)).toEqual({ posted: 1250, held: 0, available: 1250 });
      const again = await refund(source, 1250); // what the failed one had promised can be refunded again
      await shop.service.sweep();
      expect(await statusOf(again.id)).toBe('succeeded');
    },
  );

  it('whose answer is lost is sent again, and is the same one there', async () => {
    const { id } = await refund(await aPayment(shop, owner));
    shop.stripe.fail(/^POST \/v1\/refunds$/, 'lost', 2);
    await shop.service.sweep();
    expect([await statusOf(id), atStripe(id).length]).toEqual(['pending', 1]);
    await later(2);
    expect([await statusOf(id), atStripe(id).length]).toEqual(['succeeded', 1]);
  });

  it('whose recording was cut off by a crash is found again, also when Stripe has forgotten the key', async () => {
    const { id } = await refund(await aPayment(shop, owner));
    await shop.service.sql('ALTER TABLE journal_entries RENAME TO hidden'); // it cannot be recorded
    await shop.service.sweep();
    await shop.service.sql('ALTER TABLE hidden RENAME TO journal_entries');
    expect([await statusOf(id), atStripe(id).length]).toEqual(['pending', 1]);
    shop.stripe.forgetKeys();
    await later(60 * 24 * 3);
    expect([await statusOf(id), atStripe(id).length]).toEqual(['succeeded', 1]);
    expect(await journalOf(shop, owner.accountId)).toBe(250);
  });

  it.each([500, { status: 403, code: 'permission_denied' }] as const)(
    'waits longer and longer while Stripe cannot take it: %j',
    async (fault) => {
      const source = await aPayment(shop, owner);
      const { id } = await refund(source);
      const [row] = await shop.service.sql<{ payment: string }>(
        'SELECT processor_reference AS payment FROM transactions WHERE id = $1',
        [source],
      );
      const asked = (): number =>
        shop.stripe.calls.filter(({ body }) => body.get('payment_intent') === row!.payment).length;
      shop.stripe.fail(/refunds/, fault, 1000);
      const tries: number[] = [];
      for (let minute = 0; minute < 60; minute += 5) {
        const before = asked();
        await later(5);
        if (asked() > before) tries.push(minute);
      }
      expect(tries.length).toBeGreaterThan(3);
      expect(tries.length).toBeLessThan(10);
      expect(tries.at(-1)! - tries.at(-2)!).toBeGreaterThan(tries[1]! - tries[0]!);
      shop.stripe.forgetFaults();
      expect(await statusOf(id)).toBe('pending');
      await later(60);
      expect(await statusOf(id)).toBe('succeeded');
    },
    60_000,
  );

  it('asks a Stripe that does not answer once a sweep, or all other timed work would wait for it', async () => {
    const source = await aPayment(shop, owner);
    for (let count = 0; count < 3; count += 1) await refund(source, 100);
    shop.stripe.fail(/refunds/, 500, 1000);
    for (let sweep = 1; sweep <= 3; sweep += 1) {
      const before = shop.stripe.count(/refunds/);
      await shop.service.sweep();
      expect(shop.stripe.count(/refunds/) - before).toBe(1);
    }
    shop.stripe.forgetFaults();
    await later(2);
    expect(await balanceOf(owner.api)).toEqual({ posted: 950, held: 0, available: 950 });
  });

  it('that fails after it had succeeded stays booked, and the log says so', async () => {
    const { id } = await refund(await aPayment(shop, owner));
    await shop.service.sweep();
    await report(shop, 'refund.failed', shop.stripe.end(atStripe(id)[0]!, 'failed', 'lost_or_stolen_card'));
    expect(await statusOf(id)).toBe('succeeded');
    expect(shop.service.logged.join('')).toContain(
      `The provider reports ${id} as failed, which is succeeded here`,
    );
  });

  it('is counted as Stripe counts, or refused', async () => {
    const icelander = await anOwner(shop.service.api, { currency: 'ISK' });
    const paid = await aPayment(shop, icelander, { currency: 'ISK' });
    const members = { currency: 'ISK', type: 'refund', amount: 7, source_transaction_id: paid };
    const { id } = await created(
      icelander.api,
      '/v1/transactions',
      aTransaction(icelander.accountId, members),
    );
    await shop.service.sweep();
    expect(atStripe(id)).toMatchObject([{ amount: 700, currency: 'isk' }]);
    const kuwaiti = await anOwner(shop.service.api, { currency: 'KWD' });
    const source = await aPayment(shop, kuwaiti, { currency: 'KWD' });
    const { status, body } = await kuwaiti.api.post('/v1/transactions', {
      ...aTransaction(kuwaiti.accountId, { currency: 'KWD', type: 'refund', amount: 7 }),
      source_transaction_id: source,
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('Everything else under Stripe', () => {
  let shop: Shop;
  let owner: Owner;

  beforeAll(async () => {
    shop = await openShop();
    owner = await anOwner(shop.service.api);
  });
  afterAll(() => shop.stop());

  it('is reported by an operator, as with the manual processor, and never sent to Stripe', async () => {
    const record = (by: Owner['api'], members: object): Promise<any> =>
      created(by, '/v1/transactions', aTransaction(owner.accountId, { amount: 100, ...members }));
    const settle = async (id: string): Promise<string> =>
      (await (await shop.admin()).api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' }))
        .body.status;
    expect((await record((await shop.admin()).api, { type: 'credit' })).status).toBe('succeeded');
    const credit = await record(owner.api, { type: 'credit', metadata: { sandbox_outcome: 'succeeded' } });
    const payment = await record(owner.api, { type: 'payment' });
    const refund = await record(owner.api, { type: 'refund' });
    for (const { id, status } of [credit, payment, refund]) {
      expect([status, await settle(id)]).toEqual(['pending', 'succeeded']);
    }
    const back = await record(owner.api, { type: 'refund', source_transaction_id: payment.id });
    await shop.service.sweep();
    shop.service.clock.move({ minutes: 600 });
    await shop.service.sweep();
    expect([back.status, await settle(back.id)]).toEqual(['pending', 'succeeded']);
    expect(shop.stripe.calls).toEqual([]);
  });
});
