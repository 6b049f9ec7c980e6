import { exampleId } from '../../../src/platform/http/response-fields';
import { Client } from 'pg';
import { Countinghouse } from '../../../client/src/index.js';
import { clientOf } from '../../support/client';
import {
  anAccount,
  anOperator,
  anOwner,
  created,
  logIn,
  Owner,
  Person,
  theAdmin,
} from '../../support/people';
import { ADMIN, startTestService, TestService } from '../../support/service';

let service: TestService;
let owner: Owner;
let admin: Person;
let client: Countinghouse;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());
beforeEach(async () => {
  admin = await theAdmin(service.api);
  owner = await anOwner(service.api);
  client = clientOf(service, owner);
});

function record(type: 'payment' | 'credit' | 'refund', amount: number, more: object = {}) {
  return client.post('/v1/transactions', {
    body: { account_id: owner.accountId, amount, currency: 'USD', type, ...more },
  });
}

async function balance(): Promise<object> {
  const { posted, held, available, pending_in } = await client.get('/v1/account/balance');
  return { posted, held, available, pending_in };
}

const scripted = (sandbox_outcome: string) => ({ metadata: { sandbox_outcome } });

describe('The balance', () => {
  const statusOf = async (transaction_id: string) =>
    (await client.get('/v1/transactions/{transaction_id}', { params: { path: { transaction_id } } })).status;

  it('changes when a payment settles after its delay', async () => {
    const { id } = await record('payment', 500);
    expect(await balance()).toEqual({ posted: 0, held: 0, available: 0, pending_in: 500 });
    await service.runDueTasks();
    expect(await statusOf(id)).toBe('pending');
    service.clock.move({ seconds: 61 });
    await service.runDueTasks();
    expect(await statusOf(id)).toBe('succeeded');
    expect(await balance()).toEqual({ posted: 500, held: 0, available: 500, pending_in: 0 });
  });

  it('holds a pending refund, and releases it when it is canceled or fails', async () => {
    await record('credit', 100);
    const canceled = await record('refund', 60, scripted('pending'));
    expect(await balance()).toEqual({ posted: 100, held: 60, available: 40, pending_in: 0 });
    await expect(record('refund', 41)).rejects.toMatchObject({ code: 'insufficient_funds' });
    await client.delete('/v1/transactions/{transaction_id}', {
      params: { path: { transaction_id: canceled.id } },
    });
    expect(await balance()).toEqual({ posted: 100, held: 0, available: 100, pending_in: 0 });
    const failed = await record('refund', 100, scripted('pending'));
    await clientOf(service, ADMIN).post('/v1/transactions/{transaction_id}/settlement', {
      params: { path: { transaction_id: failed.id } },
      body: { outcome: 'failed', failure_reason: 'no such bank' },
    });
    expect(await balance()).toEqual({ posted: 100, held: 0, available: 100, pending_in: 0 });
  });

  it('is returned as of an earlier time', async () => {
    const before = service.clock.now().toISOString();
    const first = await record('credit', 100);
    service.clock.move({ days: 1 });
    await record('refund', 30);
    const at = async (as_of: string) =>
      (await client.get('/v1/account/balance', { params: { query: { as_of } } })).posted;
    expect(await at(before)).toBe(0);
    expect(await at(first.created_at)).toBe(100);
    expect(await at(service.clock.now().toISOString())).toBe(70);
    expect(await at(first.created_at.slice(0, 10))).toBe(100);
    const { accountId: account_id } = owner;
    const shown = await clientOf(service, ADMIN).get('/v1/accounts/{account_id}/balance', {
      params: { path: { account_id } },
    });
    expect(shown).toMatchObject({ account_id, currency: 'USD', posted: 70, available: 70 });
  });
});

describe('The entries of an account', () => {
  const entries = async (query = '', caller = owner): Promise<any> =>
    (await caller.api.get(`/v1/account/entries${query}`)).body;
  const numbers = async (query: string): Promise<number[]> =>
    (await entries(query)).data.map((entry: { number: number }) => entry.number);

  it('are listed newest first with the balance after each, as the balance shows it', async () => {
    const credit = await record('credit', 100);
    await record('payment', 70); // pending, so it is not posted
    const refund = await record('refund', 30);
    expect(await entries()).toEqual({
      object: 'list',
      data: [
        {
          id: expect.stringMatching(/^ent_[0-9a-z]{26}$/),
          number: 3,
          transaction_id: refund.id,
          leg: 'customer',
          amount: -30,
          currency: 'USD',
          balance: 70,
          posted_at: refund.created_at,
          type: 'refund',
          reference: refund.reference,
          counterparty: null,
        },
        {
          id: expect.stringMatching(/^ent_[0-9a-z]{26}$/),
          number: 1,
          transaction_id: credit.id,
          leg: 'customer',
          amount: 100,
          currency: 'USD',
          balance: 100,
          posted_at: credit.created_at,
          type: 'credit',
          reference: credit.reference,
          counterparty: null,
        },
      ],
      has_more: false,
    });
    const { body } = await admin.api.get(`/v1/accounts/${owner.accountId}/entries`);
    expect(body).toEqual(await entries());
    expect((await entries('', await anOwner(service.api))).data).toEqual([]);
  });

  it('are shown with the other leg of each posting on request', async () => {
    await record('credit', 100);
    await record('refund', 30);
    const { data } = await entries('?legs=both');
    const shown = data.map(({ number, leg, amount, balance }: any) => [number, leg, amount, balance]);
    expect(shown).toEqual([
      [4, 'clearing', 30, -70],
      [3, 'customer', -30, 70],
      [2, 'clearing', -100, -100],
      [1, 'customer', 100, 100],
    ]);
  });

  it('are walked by number in both directions', async () => {
    for (let count = 0; count < 5; count += 1) await record('credit', 1);
    expect(await numbers('?limit=2')).toEqual([9, 7]);
    expect(await numbers('?limit=2&starting_after=7')).toEqual([5, 3]);
    expect(await entries('?limit=2&starting_after=3')).toMatchObject({
      data: [{ number: 1 }],
      has_more: false,
    });
    expect(await entries('?limit=2&ending_before=1')).toMatchObject({
      data: [{ number: 5 }, { number: 3 }],
      has_more: true,
    });
    expect(await numbers('?limit=2&legs=both&starting_after=9')).toEqual([8, 7]);
    expect(await numbers('?limit=2&starting_after=8')).toEqual([7, 5]);
    expect(await numbers('?limit=2&starting_after=100')).toEqual([9, 7]);
    const ids = (await entries()).data.map(({ id }: { id: string }) => id);
    expect(await numbers(`?limit=2&starting_after=${ids[1]}`)).toEqual([5, 3]);
    expect(await numbers(`?limit=2&ending_before=${ids[4]}`)).toEqual([5, 3]);
    expect(await numbers(`?limit=2&starting_after=ent_7${'z'.repeat(25)}`)).toEqual([9, 7]);
  });

  it.each([
    'starting_after=-1',
    `starting_after=${exampleId('txn')}`,
    'ending_before=0',
    'ending_before=x',
    'legs=one',
    'limit=0',
  ])('are not listed with %s', async (query) => {
    await record('credit', 1);
    expect(await entries(`?${query}`)).toMatchObject({ error: 'invalid_request' });
  });

  it('are filtered by the time of the posting', async () => {
    const first = await record('credit', 1);
    service.clock.move({ days: 1 });
    owner = { ...owner, ...(await logIn(service.api, owner.email)) };
    const second = await record('credit', 1);
    const later = new Date(Date.parse(second.created_at) + 1).toISOString();
    expect(await numbers(`?date_from=${second.created_at}`)).toEqual([3]);
    expect(await numbers(`?date_to=${first.created_at}`)).toEqual([1]);
    expect(await numbers(`?date_to=${first.created_at}&legs=both`)).toEqual([2, 1]);
    expect(await numbers(`?date_from=${first.created_at}&date_to=${second.created_at}`)).toEqual([3, 1]);
    expect(await numbers(`?date_from=${later}`)).toEqual([]);
    expect(await numbers(`?date_to=2020-01-01`)).toEqual([]);
  });
});

describe('The sandbox', () => {
  it.each([
    ['credit', 'failed', 'failed', 0],
    ['credit', 'pending', 'pending', 0],
    ['credit', 'succeeded', 'succeeded', 9],
  ] as const)('creates a %s with sandbox_outcome %s as %s', async (type, script, status, posted) => {
    expect((await record(type, 9, scripted(script))).status).toBe(status);
    expect(await balance()).toMatchObject({ posted });
  });

  it.each([
    ['failed', 'failed'],
    ['pending', 'pending'],
  ])('ends a payment with sandbox_outcome %s as %s after the delay', async (script, status) => {
    const { id } = await record('payment', 9, scripted(script));
    service.clock.move({ seconds: 61 });
    await service.runDueTasks();
    expect((await owner.api.get(`/v1/transactions/${id}`)).body.status).toBe(status);
    expect(await balance()).toMatchObject({ posted: 0, pending_in: status === 'pending' ? 9 : 0 });
  });

  it('rejects an unknown sandbox_outcome', async () => {
    const { status } = await owner.api.post('/v1/transactions', {
      account_id: owner.accountId,
      amount: 1,
      currency: 'USD',
      type: 'credit',
      ...scripted('maybe'),
    });
    expect(status).toBe(400);
  });
});

describe('POST /v1/transactions/{id}/settlement', () => {
  it('settles for an operator, returns the same response to a repeat, and rejects another outcome', async () => {
    const platform = await anOperator(service.api, 'platform');
    const { id } = await record('payment', 70, scripted('pending'));
    const settle = (outcome: string) => platform.api.post(`/v1/transactions/${id}/settlement`, { outcome });
    const first = await settle('succeeded');
    expect(first).toMatchObject({ status: 200, body: { id, status: 'succeeded' } });
    expect((await settle('succeeded')).body).toEqual(first.body);
    expect(await settle('failed')).toMatchObject({ status: 409, body: { error: 'conflict' } });
    expect(await balance()).toMatchObject({ posted: 70 });
  });

  it('is forbidden to the account itself', async () => {
    const { id } = await record('payment', 70);
    const { status } = await owner.api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
    expect(status).toBe(403);
  });
});

describe('A refund with source_transaction_id', () => {
  async function aSettledPayment(amount: number): Promise<string> {
    const { id } = await record('payment', amount, scripted('pending'));
    await admin.api.post(`/v1/transactions/${id}/settlement`, { outcome: 'succeeded' });
    return id;
  }

  it('returns it, and all refunds together cannot exceed the payment', async () => {
    await record('credit', 1000);
    const source_transaction_id = await aSettledPayment(100);
    const refund = await record('refund', 60, { source_transaction_id });
    expect(refund).toMatchObject({ source_transaction_id });
    expect((await owner.api.get(`/v1/transactions/${refund.id}`)).body).toMatchObject({
      source_transaction_id,
    });
    const more = {
      account_id: owner.accountId,
      amount: 41,
      currency: 'USD',
      type: 'refund',
      source_transaction_id,
    };
    expect(await owner.api.post('/v1/transactions', more)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
    await record('refund', 40, { source_transaction_id });
  });

  it('counts in refunded_amount of the payment while it is pending or succeeded, only where one is retrieved', async () => {
    await record('credit', 1000);
    const source_transaction_id = await aSettledPayment(100);
    const path = `/v1/transactions/${source_transaction_id}`;
    const refunded = async () => (await owner.api.get(path)).body.refunded_amount;
    expect((await owner.api.get(path)).body).not.toHaveProperty('refunded_amount');
    await record('refund', 15, { source_transaction_id });
    const { id } = await record('refund', 60, { source_transaction_id, ...scripted('pending') });
    expect(await refunded()).toBe(75);
    await owner.api.delete(`/v1/transactions/${id}`);
    expect(await refunded()).toBe(15);
    const { data } = (await owner.api.get('/v1/transactions?view=full&type=payment&limit=1')).body;
    expect(data[0].id).toBe(source_transaction_id);
    expect(data[0]).not.toHaveProperty('refunded_amount');
  });

  it('is listed under the payment, whatever became of it', async () => {
    await record('credit', 1000);
    const source_transaction_id = await aSettledPayment(100);
    await record('refund', 5, { source_transaction_id: await aSettledPayment(10) });
    const { id: posted } = await record('refund', 15, { source_transaction_id });
    const { id: canceled } = await record('refund', 60, { source_transaction_id, ...scripted('pending') });
    await owner.api.delete(`/v1/transactions/${canceled}`);
    const listed = async (caller: Person, query = ''): Promise<string[]> => {
      const path = `/v1/transactions?source_transaction_id=${source_transaction_id}${query}`;
      return (await caller.api.get(path)).body.data.map(({ id }: { id: string }) => id);
    };
    for (const caller of [owner, admin]) expect(await listed(caller)).toEqual([canceled, posted]);
    expect(await listed(owner, '&limit=1')).toEqual([canceled]);
    expect(await listed(owner, `&starting_after=${canceled}`)).toEqual([posted]);
    expect(await listed(owner, '&status=succeeded&type=refund')).toEqual([posted]);
    expect(await listed(owner, '&amount_min=60')).toEqual([canceled]);
    expect(await listed(await anOwner(service.api))).toEqual([]);
  });

  it('can be created again after a cancellation, a failure or a creation that failed at once', async () => {
    await record('credit', 1000);
    const source_transaction_id = await aSettledPayment(100);
    const refund = (outcome: string) =>
      record('refund', 100, { source_transaction_id, ...scripted(outcome) });
    const canceled = await refund('pending');
    await owner.api.delete(`/v1/transactions/${canceled.id}`);
    const failed = await refund('pending');
    await admin.api.post(`/v1/transactions/${failed.id}/settlement`, { outcome: 'failed' });
    expect(await refund('failed')).toMatchObject({ status: 'failed' });
    await refund('succeeded');
    const source = await owner.api.get(`/v1/transactions/${source_transaction_id}`);
    expect(source.body.refunded_amount).toBe(100);
  });

  it.each([
    ['a pending payment', async () => (await record('payment', 5)).id],
    ['a credit', async () => (await record('credit', 5)).id],
    ['nothing', async () => 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w'],
    ['no id', async () => 'nonsense'],
  ])('is rejected when it names %s', async (_, source) => {
    await record('credit', 100);
    const body = {
      account_id: owner.accountId,
      amount: 5,
      currency: 'USD',
      type: 'refund',
      source_transaction_id: await source(),
    };
    expect(await owner.api.post('/v1/transactions', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    });
  });

  it('is rejected when it names a payment of another account', async () => {
    const source_transaction_id = await aSettledPayment(100);
    const other = await anAccount(service.api);
    await created(other.api, '/v1/transactions', {
      account_id: other.accountId,
      amount: 100,
      currency: 'USD',
      type: 'credit',
    });
    const body = {
      account_id: other.accountId,
      amount: 5,
      currency: 'USD',
      type: 'refund',
      source_transaction_id,
    };
    expect(await other.api.post('/v1/transactions', body)).toMatchObject({ status: 400 });
  });
});

describe('The journal in the database', () => {
  async function rejectionOf(sql: string): Promise<string> {
    const client = new Client({ connectionString: service.databaseUrl });
    await client.connect();
    try {
      return await client.query(sql).then(
        () => 'accepted',
        (error: Error) => error.message,
      );
    } finally {
      await client.end();
    }
  }

  it.each([
    ['UPDATE', 'UPDATE journal_entries SET amount = 1'],
    ['DELETE', 'DELETE FROM journal_entries'],
    ['TRUNCATE', 'TRUNCATE journal_entries'],
  ])('rejects %s, even from a superuser', async (_, sql) => {
    await record('credit', 10);
    expect(await rejectionOf(sql)).toMatch(/append-only/);
  });

  it('rejects a posting that does not sum to zero', async () => {
    const insert = (clearing: number) => `INSERT INTO journal_entries
      (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
      VALUES ('acc_x', 1, 'txn_x', 'customer', 5, 'USD', 5, now(), ''), ('acc_x', 2, 'txn_x', 'clearing', ${clearing}, 'USD', -5, now(), '')`;
    expect(await rejectionOf(insert(-4))).toMatch(/does not sum to zero/);
    expect(await rejectionOf(`${insert(-5)}; ROLLBACK`)).toBe('accepted');
  });

  it('rejects a balance below zero', async () => {
    await record('credit', 10);
    expect(await rejectionOf(`UPDATE accounts SET posted = -1 WHERE id = '${owner.accountId}'`)).toMatch(
      /violates check/,
    );
    expect(await rejectionOf(`UPDATE accounts SET held = 11 WHERE id = '${owner.accountId}'`)).toMatch(
      /violates check/,
    );
  });
});

describe('Closing an account', () => {
  it('releases held and expected amounts, and does not change the journal', async () => {
    await record('credit', 100);
    await record('payment', 50);
    await record('refund', 30, scripted('pending'));
    const { body } = await owner.api.delete('/v1/account');
    expect(body.message).toContain('100');
    const { body: left } = await admin.api.get(`/v1/accounts/${owner.accountId}/balance`);
    expect(left).toMatchObject({ posted: 100, held: 0, available: 100, pending_in: 0 });
    const payout = { account_id: owner.accountId, amount: 100, currency: 'USD', type: 'refund' };
    expect((await admin.api.post('/v1/transactions', payout)).status).toBe(201);
  });
});
