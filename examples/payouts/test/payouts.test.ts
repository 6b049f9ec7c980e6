import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startCountinghouse, TestService, TestUser } from 'countinghouse/testing';
import { payouts } from '../src/payouts.module';

type Body = Record<string, unknown>;
type List = { data: Body[]; has_more: boolean };

describe('Payouts', () => {
  let service: TestService;
  let admin: TestUser;

  before(async () => {
    service = await startCountinghouse({ extensions: [payouts] });
    admin = await service.admin();
  });
  after(() => service.stop());

  /** An account with 100.00. */
  async function fundedAccount(): Promise<TestUser> {
    const owner = await service.account();
    const credit = { account_id: owner.id, amount: 10_000, currency: 'USD', type: 'credit' };
    await service.create(owner.api, '/v1/transactions', credit);
    return owner;
  }

  const payOut = (owner: TestUser, amount: number) =>
    owner.api.post<Body>('/v1/payouts', { account_id: owner.id, amount, currency: 'USD' });

  async function balanceOf({ api }: TestUser): Promise<Body> {
    const { posted, held, available } = (await api.get<Body>('/v1/account/balance')).body;
    return { posted, held, available };
  }

  it('hold their amount while they are pending', async () => {
    const owner = await fundedAccount();
    const { status, body } = await payOut(owner, 2_500);
    assert.deepEqual([status, body['status']], [201, 'pending']);
    assert.deepEqual(await balanceOf(owner), { posted: 10_000, held: 2_500, available: 7_500 });
  });

  for (const [outcome, left] of [
    ['paid', 7_500],
    ['failed', 10_000],
  ] as const) {
    it(`leave ${left} of 10000 in the account once they are ${outcome}`, async () => {
      const owner = await fundedAccount();
      const { body } = await payOut(owner, 2_500);
      const settled = await admin.api.post<Body>(`/v1/payouts/${body['id']}/settlement`, { outcome });
      assert.equal(settled.body['status'], outcome);
      assert.deepEqual(await balanceOf(owner), { posted: left, held: 0, available: left });
    });
  }

  it('can be canceled while they are pending', async () => {
    const owner = await fundedAccount();
    const path = `/v1/payouts/${(await payOut(owner, 2_500)).body['id']}`;
    assert.equal((await owner.api.delete<Body>(path)).body['status'], 'canceled');
    assert.equal((await owner.api.delete<Body>(path)).body['error'], 'not_cancellable');
    assert.deepEqual(await balanceOf(owner), { posted: 10_000, held: 0, available: 10_000 });
  });

  it('never exceed the available balance, also when many are created at once', async () => {
    const owner = await fundedAccount();
    const responses = await Promise.all(Array.from({ length: 10 }, () => payOut(owner, 3_000)));
    assert.equal(responses.filter(({ status }) => status === 201).length, 3);
    assert.equal(responses.filter(({ status }) => status === 402).length, 7);
  });

  it('are created once per Idempotency-Key', async () => {
    const owner = await fundedAccount();
    const request = { account_id: owner.id, amount: 2_500, currency: 'USD' };
    const headers = { 'Idempotency-Key': 'week-47' };
    const first = await owner.api.post<Body>('/v1/payouts', request, headers);
    const second = await owner.api.post<Body>('/v1/payouts', request, headers);
    assert.deepEqual(second.body, first.body);
    assert.equal(second.headers.get('Idempotency-Replayed'), 'true');
  });

  it('are listed page by page, and only to their account', async () => {
    const owner = await fundedAccount();
    const ids: unknown[] = [];
    for (const amount of [100, 200, 300]) ids.unshift((await payOut(owner, amount)).body['id']);
    await payOut(await fundedAccount(), 400);
    const first = await owner.api.get<List>('/v1/payouts?limit=2');
    const second = await owner.api.get<List>(`/v1/payouts?status=pending&starting_after=${ids[1]}`);
    const listed = [...first.body.data, ...second.body.data].map(({ id }) => id);
    assert.deepEqual(listed, ids);
    assert.deepEqual([first.body.has_more, second.body.has_more], [true, false]);
  });

  it('are summed for admins, and not for account owners', async () => {
    assert.equal((await (await fundedAccount()).api.get('/v1/payouts/totals')).status, 403);
    const { body } = await admin.api.get<List>('/v1/payouts/totals');
    const paid = body.data.find(({ status }) => status === 'paid');
    assert.deepEqual(paid, { currency: 'USD', status: 'paid', count: 1, amount: 2_500 });
  });

  it('keep their account from being closed while they are pending', async () => {
    const owner = await fundedAccount();
    const { body } = await payOut(owner, 2_500);
    assert.equal((await owner.api.delete<Body>('/v1/account')).body['error'], 'conflict');
    await owner.api.delete(`/v1/payouts/${body['id']}`);
    assert.equal((await owner.api.delete<Body>('/v1/account')).body['status'], 'closed');
  });

  it('are part of the audit: a changed amount is found', async () => {
    assert.deepEqual(await service.verifyLedger(), []);
    await service.sql(`UPDATE payouts SET amount = amount + 1 WHERE status = 'paid'`);
    assert.equal((await service.verifyLedger()).length, 1);
  });
});
