import { AUDIT_ENTRIES } from '../../support/audit-entries';
import { Api, Reply } from '../../support/api';
import { anOperator, anOwner, created, Owner, Person } from '../../support/people';
import { aPaymentRequest, aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

const BATCH = '/v1/transactions/batch';

describe('Many transactions in one request', () => {
  let service: TestService;
  let owner: Owner;
  let other: Owner;
  let platform: Person;

  beforeAll(async () => {
    service = await startTestService();
    [owner, other, platform] = await Promise.all([
      anOwner(service.api),
      anOwner(service.api),
      anOperator(service.api, 'platform'),
    ]);
  });
  afterAll(() => service.stop());

  const item = (type: string, amount: number, members: object = {}, of = owner) =>
    aTransaction(of.accountId, { type, amount, ...members });
  const send = (
    transactions: unknown,
    members: object = {},
    by: Api = owner.api,
    key?: string,
  ): Promise<Reply> =>
    by.post(
      BATCH,
      { transactions, ...members },
      key === undefined ? {} : { headers: { 'Idempotency-Key': key } },
    );
  const statuses = ({ body }: Reply) => body.data.map(({ status }: { status: number }) => status);
  const balanceOf = async (of: Owner) => (await of.api.get('/v1/account/balance')).body;
  const countOf = async (of: Owner) => (await of.api.get('/v1/transactions?limit=100')).body.data.length;

  describe('atomic', () => {
    it('creates all in their order, each on what those before it have decided', async () => {
      const of = await anOwner(service.api);
      const reply = await send(
        [item('credit', 500, {}, of), item('refund', 300, {}, of), item('refund', 200, {}, of)],
        {},
        of.api,
      );
      expect([reply.status, statuses(reply)]).toEqual([201, [201, 201, 201]]);
      const ids = reply.body.data.map(({ transaction }: any) => transaction.id);
      expect(ids).toEqual(ids.toSorted());
      expect(reply.body.data[1].transaction).toMatchObject({
        type: 'refund',
        amount: 300,
        status: 'succeeded',
      });
      const listed = (await of.api.get('/v1/transactions')).body.data.map(({ id }: any) => id);
      expect(listed).toEqual(ids.toReversed());
      expect(await balanceOf(of)).toMatchObject({ posted: 0, held: 0 });
      const events = (await of.api.get('/v1/events?type=transaction.succeeded')).body.data;
      expect(events.map(({ object_id }: any) => object_id)).toEqual(ids.toReversed());
    });

    it('creates none when one cannot be created, and names it', async () => {
      const of = await anOwner(service.api);
      const reply = await send([item('credit', 500, {}, of), item('refund', 501, {}, of)], {}, of.api);
      expect([reply.status, reply.body.error]).toEqual([402, 'insufficient_funds']);
      expect(reply.body.message).toMatch(/^Item 1: /);
      expect([await countOf(of), (await balanceOf(of)).posted]).toEqual([0, 0]);
      expect((await of.api.get('/v1/events?type=transaction.succeeded')).body.data).toEqual([]);
    });

    it('takes those of several accounts from an operator, all or none', async () => {
      const before = [await countOf(owner), await countOf(other)];
      const items = [item('credit', 5, {}, other), item('credit', 7), item('credit', 9, {}, other)];
      const failed = await send([...items, item('credit', 1, { currency: 'JPY' })], {}, platform.api);
      expect([failed.status, failed.body.error]).toEqual([400, 'currency_mismatch']);
      expect(await Promise.all([countOf(owner), countOf(other)])).toEqual(before);
      const reply = await send(items, {}, platform.api);
      expect(
        reply.body.data.map(({ transaction }: any) => [transaction.account_id, transaction.amount]),
      ).toEqual([
        [other.accountId, 5],
        [owner.accountId, 7],
        [other.accountId, 9],
      ]);
      expect(await Promise.all([countOf(owner), countOf(other)])).toEqual([before[0]! + 1, before[1]! + 2]);
      const foreign = await send(items);
      expect([foreign.status, foreign.body.error]).toEqual([404, 'not_found']);
      expect(foreign.body.message).toMatch(/^Item 0: /);
    });

    it('never ends in a deadlock, whatever the order of the accounts', async () => {
      const batches = Array.from({ length: 12 }, (_, index) => {
        const items = [item('credit', 1), item('credit', 1, {}, other)];
        return send(index % 2 ? items : items.toReversed(), {}, platform.api);
      });
      expect((await Promise.all(batches)).map(({ status }) => status)).toEqual(batches.map(() => 201));
    });

    it('refunds a payment in parts, never more than it', async () => {
      const of = await anOwner(service.api);
      const payment = await created(of.api, '/v1/transactions', item('payment', 100, {}, of));
      await platform.api.post(`/v1/transactions/${payment.id}/settlement`, { outcome: 'succeeded' });
      await created(of.api, '/v1/transactions', item('credit', 100, {}, of));
      const part = (amount: number) => item('refund', amount, { source_transaction_id: payment.id }, of);
      expect((await send([part(60), part(41)], {}, of.api)).status).toBe(400);
      expect(statuses(await send([part(60), part(40)], {}, of.api))).toEqual([201, 201]);
      expect((await of.api.get(`/v1/transactions/${payment.id}`)).body.refunded_amount).toBe(100);
    });
  });

  describe('independent', () => {
    it('gives each its own status or error', async () => {
      const of = await anOwner(service.api);
      const reply = await send(
        [
          item('credit', 500, {}, of),
          item('refund', 100_000, {}, of),
          item('credit', -1, {}, of),
          'no object',
          { ...item('credit', 1, {}, of), dry_run: true },
          item('credit', 7, {}, other),
          item('credit', 2, {}, of),
        ],
        { mode: 'independent' },
        of.api,
      );
      expect(reply.status).toBe(201);
      expect(reply.body.data.map(({ status, error }: any) => error ?? status)).toEqual([
        201,
        'insufficient_funds',
        'invalid_request',
        'invalid_request',
        'invalid_request',
        'not_found',
        201,
      ]);
      expect(reply.body.data[2].message).toMatch(/^amount must be/);
      expect((await balanceOf(of)).posted).toBe(502);
    });
  });

  describe.each(['atomic', 'independent'])('sent again, %s', (mode) => {
    it('creates nothing more, with the key of the batch', async () => {
      const before = await countOf(owner);
      const items = [item('credit', 1), item('credit', 2)];
      const first = await send(items, { mode }, owner.api, `batch ${mode}`);
      const again = await send(items, { mode }, owner.api, `batch ${mode}`);
      expect(again.body.data).toEqual(first.body.data.map((one: object) => ({ ...one, replayed: true })));
      expect(await countOf(owner)).toBe(before + 2);
      const changed = await send([items[0], item('credit', 3)], { mode }, owner.api, `batch ${mode}`);
      expect([changed.status, changed.body.message]).toEqual([
        400,
        expect.stringContaining('different request'),
      ]);
      expect(await countOf(owner)).toBe(before + 2);
    });

    it('is the same batch: another one with its key is rejected, whatever the first has created', async () => {
      const before = await countOf(owner);
      const key = `bound ${mode}`;
      const wrong = item('credit', 1, { currency: 'JPY' });
      const first = await send([wrong, item('credit', 500)], { mode }, owner.api, key);
      expect(first.status).toBe(mode === 'atomic' ? 400 : 201);
      // An atomic batch that failed has stored nothing, so its cause can be corrected under the same key.
      const corrected = await send([item('credit', 500)], { mode }, owner.api, key);
      expect(corrected.status).toBe(mode === 'atomic' ? 201 : 400);
      expect(await countOf(owner)).toBe(before + 1);
      const more = await send([item('credit', 500), item('credit', 1000)], { mode }, owner.api, key);
      const single = await owner.api.post('/v1/transactions', item('credit', 5), {
        headers: { 'Idempotency-Key': key },
      });
      expect([more.status, single.status]).toEqual([400, 400]);
      expect(await countOf(owner)).toBe(before + 1);
    });

    it('shares keys with single creations, and creates what is missing', async () => {
      const single = item('credit', 11, { reference: `shared ${mode}` });
      const key = `shared ${mode}`;
      const first = await owner.api.post('/v1/transactions', single, { headers: { 'Idempotency-Key': key } });
      const reply = await send([{ ...single, idempotency_key: key }, item('credit', 12)], { mode });
      expect(reply.body.data[0]).toEqual({ status: 201, transaction: first.body, replayed: true });
      expect(reply.body.data[1]).not.toHaveProperty('replayed');
      const ofBatch = item('credit', 13);
      const batched = await send([{ ...ofBatch, idempotency_key: `${key} 2` }], { mode });
      const alone = await owner.api.post('/v1/transactions', ofBatch, {
        headers: { 'Idempotency-Key': `${key} 2` },
      });
      expect(alone.text).toBe(JSON.stringify(batched.body.data[0].transaction));
    });

    it('at the same time creates each once', async () => {
      const of = await anOwner(service.api);
      const items = [1, 2, 3].map((amount) => ({
        ...item('credit', amount, {}, of),
        idempotency_key: `once ${amount}`,
      }));
      const replies = await Promise.all(Array.from({ length: 8 }, () => send(items, { mode }, of.api)));
      const ids = replies.map(({ body }) =>
        JSON.stringify(body.data.map(({ transaction }: any) => transaction.id)),
      );
      expect(new Set(ids).size).toBe(1);
      expect([await countOf(of), (await balanceOf(of)).posted]).toEqual([3, 6]);
    });

    it('is recorded in the audit log like single creations, where an operator sends it', async () => {
      const reply = await send([item('credit', 1), item('credit', 2)], { mode }, platform.api);
      for (const { transaction } of reply.body.data) {
        const entries = await service.sql(`SELECT action FROM ${AUDIT_ENTRIES} WHERE object_id = $1`, [
          transaction.id,
        ]);
        expect(entries).toEqual([{ action: 'transaction.create' }]);
      }
    });

    it('as a dry run stores nothing', async () => {
      const of = await anOwner(service.api);
      const reply = await send(
        [item('credit', 10, {}, of), item('credit', 5, {}, of)],
        { mode, dry_run: true },
        of.api,
        'dry',
      );
      expect(statuses(reply)).toEqual([200, 200]);
      const posted = reply.body.data.map(({ balance }: any) => balance.posted);
      expect(posted).toEqual(mode === 'atomic' ? [10, 15] : [10, 5]);
      expect([await countOf(of), (await balanceOf(of)).posted]).toEqual([0, 0]);
      expect(statuses(await send([item('credit', 10, {}, of)], { mode }, of.api, 'dry'))).toEqual([201]);
    });
  });

  it.each([
    ['no list', {}],
    ['an empty list', []],
    ['more than 100', Array.from({ length: 101 }, () => ({}))],
    ['an item that is none', [null]],
    ['an unknown member', [{ amount: 1, id: 'txn' }]],
    ['a key that no header could have', [{ idempotency_key: 'a\nb' }]],
  ])('is rejected as a whole with %s', async (_, transactions) => {
    const { status, body } = await send(transactions);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('is rejected with one key for two items, and for a type that the key may not write', async () => {
    const same = { ...item('credit', 1), idempotency_key: 'twice' };
    expect((await send([same, same])).body.message).toMatch(/same idempotency_key/);
    const { key } = await created(owner.api, '/v1/api-keys', { name: 'Refunds', scopes: ['refunds:write'] });
    expect((await send([item('credit', 1)], {}, service.api.as(key))).status).toBe(403);
  });

  it('takes 100 at once', async () => {
    const of = await anOwner(service.api);
    const items = Array.from({ length: 100 }, () => item('credit', 1, {}, of));
    for (const mode of ['atomic', 'independent'])
      expect(new Set(statuses(await send(items, { mode }, of.api)))).toEqual(new Set([201]));
    expect((await balanceOf(of)).posted).toBe(200);
  });

  describe('A dry run', () => {
    it('of a single creation says what would be, and stores nothing', async () => {
      const of = await anOwner(service.api);
      await created(of.api, '/v1/transactions', item('credit', 100, {}, of));
      const request = item('refund', 30, { dry_run: true, metadata: { sandbox_outcome: 'pending' } }, of);
      const headers = { 'Idempotency-Key': 'try' };
      const { status, body } = await of.api.post('/v1/transactions', request, { headers });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        dry_run: true,
        type: 'refund',
        amount: 30,
        status: 'pending',
        balance: { posted: 100, held: 30, available: 70, pending_in: 0 },
      });
      expect((await of.api.get(`/v1/transactions/${body.id}`)).status).toBe(404);
      expect([await countOf(of), (await balanceOf(of)).held]).toEqual([1, 0]);
      const real = await of.api.post('/v1/transactions', { ...request, dry_run: false }, { headers });
      expect([real.status, real.body]).toEqual([
        201,
        expect.not.objectContaining({ dry_run: expect.anything() }),
      ]);
    });

    it('fails as the creation would', async () => {
      const of = await anOwner(service.api);
      const failed = await of.api.post('/v1/transactions', item('refund', 1, { dry_run: true }, of));
      expect([failed.status, failed.body.error]).toEqual([402, 'insufficient_funds']);
      const wrong = await of.api.post('/v1/transactions', item('refund', 1, { dry_run: 'yes' }, of));
      expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_request']);
    });

    it('tells the balance only to a key that may read it', async () => {
      for (const [scope, balance] of [
        ['credits:write', undefined],
        ['transactions:read', { posted: 1, held: 0, available: 1, pending_in: 0 }],
      ] as const) {
        const of = await anOwner(service.api);
        const { key } = await created(of.api, '/v1/api-keys', {
          name: 'Try',
          scopes: ['credits:write', ...(scope === 'transactions:read' ? [scope] : [])],
        });
        const { body } = await service.api
          .as(key)
          .post('/v1/transactions', item('credit', 1, { dry_run: true }, of));
        expect([scope, body.dry_run, body.balance]).toEqual([scope, true, balance]);
      }
    });

    it('by an operator leaves the audit log as it is', async () => {
      const entries = () =>
        service.sql(`SELECT count(*) FROM ${AUDIT_ENTRIES} WHERE action LIKE 'transaction.%'`);
      const before = await entries();
      expect((await platform.api.post('/v1/transactions', item('credit', 1, { dry_run: true }))).status).toBe(
        200,
      );
      expect(await entries()).toEqual(before);
    });

    it.each([
      ['payment requests', '/v1/payments', {}],
      ['subscriptions', '/v1/subscriptions', { interval: 'month' }],
    ])('is there for %s', async (_, path, members) => {
      const of = await anOwner(service.api);
      const body = { ...aPaymentRequest(of.accountId), ...members, dry_run: true };
      const reply = await of.api.post(path, body);
      expect([reply.status, reply.body.dry_run, reply.body.amount]).toEqual([200, true, 1250]);
      for (const list of ['/v1/payments', '/v1/subscriptions'])
        expect((await of.api.get(list)).body.data).toEqual([]);
      expect((await of.api.patch('/v1/account', { settings: { currency: 'EUR' } })).status).toBe(200);
    });

    it('beside creations of the same account disturbs none', async () => {
      const of = await anOwner(service.api);
      const replies = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          of.api.post('/v1/transactions', item('credit', 1, { dry_run: index % 2 === 0 }, of)),
        ),
      );
      expect(replies.map(({ status }) => status)).toEqual(
        replies.map((_, index) => (index % 2 === 0 ? 200 : 201)),
      );
      expect([await countOf(of), (await balanceOf(of)).posted]).toEqual([20, 20]);
    });
  });
});
