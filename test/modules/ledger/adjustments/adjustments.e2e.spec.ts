import { randomUUID } from 'node:crypto';
import { INestApplicationContext } from '@nestjs/common';
import { LedgerVerification } from '../../../../src/modules/ledger';
import { anOwner, created, Owner, Person, theAdmin } from '../../../support/people';
import { startTestService, TestService } from '../../../support/service';
import { contextOn } from '../context';

describe('An adjustment', () => {
  let service: TestService;
  let app: INestApplicationContext;
  let admin: Person;
  let owner: Owner;
  beforeAll(async () => {
    service = await startTestService();
    app = await contextOn(service);
    admin = await theAdmin(service.api);
  });
  beforeEach(async () => {
    owner = await anOwner(service.api);
  });
  afterAll(async () => {
    await app.close();
    await service.stop();
  });

  const terms = (direction: 'credit' | 'debit', amount: number, more: object = {}) => ({
    amount,
    currency: 'USD',
    direction,
    reason: 'A fee was charged twice.',
    ...more,
  });
  const path = () => `/v1/accounts/${owner.accountId}/adjustments`;
  const adjust = (...args: Parameters<typeof terms>) => admin.api.post(path(), terms(...args));
  const balance = async () => (await owner.api.get('/v1/account/balance')).body;
  const entries = async () => (await owner.api.get('/v1/account/entries')).body.data;
  const faults = async () => (await app.get(LedgerVerification).run(() => undefined)).faults;

  it('is a posting in the journal, which the account and its balance show', async () => {
    const credit = await created(admin.api, path(), terms('credit', 700, { reference: 'case-7' }));
    expect(credit).toEqual({
      id: expect.stringMatching(/^adj_/),
      account_id: owner.accountId,
      amount: 700,
      currency: 'USD',
      direction: 'credit',
      status: 'posted',
      reason: 'A fee was charged twice.',
      reference: 'case-7',
      created_by: admin.id,
      approval_id: null,
      created_at: expect.any(String),
      updated_at: credit.created_at,
    });
    const debit = await created(admin.api, path(), terms('debit', 200));
    expect(debit.reference).toBeNull();
    expect(await balance()).toMatchObject({ posted: 500, held: 0, available: 500, pending_in: 0 });
    expect(await entries()).toMatchObject([
      { transaction_id: debit.id, amount: -200, balance: 500, posted_at: debit.created_at },
      { transaction_id: credit.id, amount: 700, balance: 700, posted_at: credit.created_at },
    ]);
    expect((await owner.api.get('/v1/transactions')).body.data).toEqual([]);
    expect(await faults()).toEqual([]);
  });

  it('whose row was changed is found by the verification of the ledger', async () => {
    const { id } = await created(admin.api, path(), terms('credit', 700));
    await service.sql('UPDATE adjustments SET amount = 7 WHERE id = $1', [id]);
    expect(await faults()).toEqual([expect.stringContaining(owner.accountId)]);
    await service.sql('UPDATE adjustments SET amount = 700 WHERE id = $1', [id]);
    expect(await faults()).toEqual([]);
  });

  it('never takes the balance below zero, nor what is held', async () => {
    await adjust('credit', 100);
    const refund = { account_id: owner.accountId, amount: 60, currency: 'USD', type: 'refund' };
    await created(owner.api, '/v1/transactions', { ...refund, metadata: { sandbox_outcome: 'pending' } });
    const tooMuch = await adjust('debit', 41);
    expect([tooMuch.status, tooMuch.body.error]).toEqual([402, 'insufficient_funds']);
    expect((await adjust('debit', 40)).status).toBe(201);
    expect(await balance()).toMatchObject({ posted: 60, held: 60, available: 0 });
  });

  it('takes exactly what is there when many are made at once', async () => {
    await adjust('credit', 50);
    const replies = await Promise.all(Array.from({ length: 12 }, () => adjust('debit', 10)));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(5);
    expect(replies.filter(({ body }) => body.error === 'insufficient_funds')).toHaveLength(7);
    expect(await balance()).toMatchObject({ posted: 0 });
    expect(await faults()).toEqual([]);
  });

  it('is made once however often the request is repeated', async () => {
    const headers = { 'idempotency-key': randomUUID() };
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => admin.api.post(path(), terms('credit', 30), { headers })),
    );
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(await balance()).toMatchObject({ posted: 30 });
    const other = await admin.api.post(path(), terms('credit', 31), { headers });
    expect([other.status, other.body.error]).toEqual([400, 'invalid_request']);
  });

  it.each([
    ['another currency', { currency: 'EUR' }, 400, 'currency_mismatch'],
    ['no amount', { amount: 0 }, 400, 'invalid_request'],
    ['an amount below zero', { amount: -1 }, 400, 'invalid_request'],
    ['a fraction', { amount: 1.5 }, 400, 'invalid_request'],
    ['no reason', { reason: '' }, 400, 'invalid_request'],
    ['a blank reason', { reason: ' \u00a0\u200b' }, 400, 'invalid_request'],
    ['another direction', { direction: 'in' }, 400, 'invalid_request'],
  ])('is rejected with %s', async (_, change, status, error) => {
    const reply = await adjust('credit', 10, change);
    expect([reply.status, reply.body.error]).toEqual([status, error]);
    expect(await entries()).toEqual([]);
  });

  it('does not take the balance beyond the largest one', async () => {
    await adjust('credit', Number.MAX_SAFE_INTEGER);
    const more = await adjust('credit', 1);
    expect([more.status, more.body.error]).toEqual([400, 'invalid_request']);
    expect(await balance()).toMatchObject({ posted: Number.MAX_SAFE_INTEGER });
  });

  it('can be made while the account is suspended', async () => {
    await admin.api.patch(`/v1/accounts/${owner.accountId}`, { status: 'suspended' });
    expect((await adjust('credit', 10)).status).toBe(201);
    expect((await adjust('debit', 10)).status).toBe(201);
  });

  it('takes out what was left in a closed account, and puts nothing in', async () => {
    await adjust('credit', 10);
    await admin.api.delete(`/v1/accounts/${owner.accountId}`);
    const credit = await adjust('credit', 1);
    expect([credit.status, credit.body.error]).toEqual([403, 'forbidden']);
    expect((await adjust('debit', 10)).status).toBe(201);
    expect(await faults()).toEqual([]);
  });

  it('beside the closing of its account leaves books that add up', async () => {
    for (let round = 0; round < 5; round += 1) {
      owner = await anOwner(service.api);
      const [adjustment, closing] = await Promise.all([
        adjust('credit', 10),
        admin.api.delete(`/v1/accounts/${owner.accountId}`),
      ]);
      expect(closing.status).toBe(200);
      expect([201, 403]).toContain(adjustment.status);
    }
    expect(await faults()).toEqual([]);
  });

  it('is found, listed and filtered by the back office', async () => {
    const reference = randomUUID();
    const first = await created(admin.api, path(), terms('credit', 5, { reference }));
    const second = await created(admin.api, path(), terms('credit', 6));
    const list = async (query: string) => (await admin.api.get(`/v1/adjustments?${query}`)).body.data;
    expect(await list(`account_id=${owner.accountId}`)).toEqual([second, first]);
    expect(await list(`reference=${reference}&status=posted`)).toEqual([first]);
    expect((await admin.api.get(`/v1/adjustments/${second.id}`)).body).toEqual(second);
    for (const q of [first.id, reference]) {
      expect((await admin.api.get(`/v1/search?q=${q}`)).body.data).toEqual([
        { type: 'adjustment', id: first.id, account_id: owner.accountId, object: first },
      ]);
      expect((await owner.api.get(`/v1/search?q=${q}`)).body.data).toEqual([]);
    }
  });

  it('stands in the audit log with its reason, and has an event that only operators see', async () => {
    const adjustment = await created(admin.api, path(), terms('credit', 8));
    const { data } = (await admin.api.get(`/v1/audit-log?object_id=${adjustment.id}`)).body;
    expect(data).toMatchObject([
      {
        action: 'adjustment.create',
        actor_id: admin.id,
        account_id: owner.accountId,
        reason: 'A fee was charged twice.',
        details: { amount: 8, currency: 'USD', direction: 'credit' },
      },
    ]);
    const events = `/v1/events?object_id=${adjustment.id}`;
    expect((await admin.api.get(events)).body.data).toMatchObject([
      { type: 'adjustment.posted', sequence: 1, data: { object: adjustment } },
    ]);
    expect((await owner.api.get(events)).body.data).toEqual([]);
  });
});
