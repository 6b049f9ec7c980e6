import { Account } from '../../../../src/modules/accounts/domain/account';
import { clientOf } from '../../../support/client';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  Person,
  theAdmin,
} from '../../../support/people';
import { aPaymentRequest, aTransaction } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';
import { unrecordedChanges } from '../../../support/unrecorded-changes';

interface EventBody {
  readonly id: string;
  readonly type: string;
  readonly account_id: string | null;
  readonly object_id: string;
  readonly sequence: number;
  readonly created_at: string;
  readonly data: { readonly object: Readonly<Record<string, unknown>> };
}

let service: TestService;
let owner: Owner;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(async () => {
  expect(await unrecordedChanges(service)).toEqual([]);
  await service.stop();
});
beforeEach(async () => {
  owner = await anOwner(service.api);
});

const eventsOf = async (query: string, { api }: Pick<Person, 'api'> = owner): Promise<EventBody[]> => {
  const { status, body } = await api.get(`/v1/events?limit=100&${query}`);
  expect(status).toBe(200);
  return body.data;
};

const summaryOf = (events: readonly EventBody[]) =>
  events.map(({ type, sequence }) => `${sequence} ${type}`).toReversed();

const aPendingPayment = () => created(owner.api, '/v1/transactions', aTransaction(owner.accountId));

describe('An event', () => {
  it('shows the resource as the operation that retrieves it does', async () => {
    const { id } = await aPendingPayment();
    const { body: transaction } = await owner.api.get(`/v1/transactions/${id}`);
    const [event] = await eventsOf(`object_id=${id}`);
    expect(event).toEqual({
      id: expect.stringMatching(/^evt_[0-9a-z]{26}$/),
      type: 'transaction.created',
      account_id: owner.accountId,
      object_id: id,
      sequence: 1,
      created_at: expect.stringMatching(/Z$/),
      data: { object: transaction },
    });
    expect((await owner.api.get(`/v1/events/${event!.id}`)).body).toEqual(event);
  });

  it('is recorded for each change of a transaction, numbered from 1', async () => {
    const { id } = await aPendingPayment();
    await owner.api.patch(`/v1/transactions/${id}`, { reference: 'invoice-7' });
    await owner.api.patch(`/v1/transactions/${id}`, {});
    await owner.api.delete(`/v1/transactions/${id}`);
    await owner.api.delete(`/v1/transactions/${id}`);
    expect(summaryOf(await eventsOf(`object_id=${id}`))).toEqual([
      '1 transaction.created',
      '2 transaction.updated',
      '3 transaction.canceled',
    ]);
  });

  it.each(['succeeded', 'failed'])('tells that a transaction %s at its creation', async (outcome) => {
    const metadata = { sandbox_outcome: outcome };
    const credit = aTransaction(owner.accountId, { type: 'credit', metadata });
    const { id } = await created(owner.api, '/v1/transactions', credit);
    expect(summaryOf(await eventsOf(`object_id=${id}`))).toEqual([`1 transaction.${outcome}`]);
  });

  it('is recorded for each of the transactions that share a database transaction', async () => {
    const ids = (await Promise.all(Array.from({ length: 20 }, aPendingPayment))).map(({ id }) => id);
    const events = await eventsOf('type=transaction.created');
    expect(events.map((event) => event.object_id).toSorted()).toEqual(ids.toSorted());
    expect(events.map((event) => event.id)).toEqual(
      events
        .map((event) => event.id)
        .toSorted()
        .toReversed(),
    );
  });

  it('is recorded for what the service does by itself', async () => {
    const client = clientOf(service, owner);
    const terms = { account_id: owner.accountId, amount: 1250, currency: 'USD' };
    const payment = await client.post('/v1/transactions', { body: { ...terms, type: 'payment' } });
    const subscription = await client.post('/v1/subscriptions', {
      body: { ...terms, customer_email: 'customer@example.com', interval: 'month' },
    });
    service.clock.move({ days: 29 });
    await service.runDueTasks();
    service.clock.move({ days: 2 });
    await service.runDueTasks();
    const happened = async (query: { object_id?: string; type?: string }) => {
      const summaries: string[] = [];
      for await (const { type, sequence } of client.list('/v1/events', { params: { query } }))
        summaries.push(`${sequence} ${type}`);
      return summaries;
    };
    expect(await happened({ object_id: payment.id })).toEqual(['2 transaction.succeeded']);
    expect(await happened({ object_id: subscription.id })).toEqual(['2 subscription.updated']);
    expect(await happened({ type: 'payment_request.created' })).toEqual(['1 payment_request.created']);
    expect(await happened({ type: 'payment_request.canceled' })).toEqual(['2 payment_request.canceled']);
  });

  it('is recorded for what the closing of an account cancels', async () => {
    const admin = await theAdmin(service.api);
    const payment = await aPendingPayment();
    const request = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    await owner.api.delete('/v1/account');
    const last = async (id: string) => (await eventsOf(`object_id=${id}`, admin))[0]!;
    expect(await last(payment.id)).toMatchObject({ type: 'transaction.canceled', sequence: 2 });
    expect(await last(request.id)).toMatchObject({ type: 'payment_request.canceled', sequence: 2 });
    expect(await last(owner.accountId)).toMatchObject({
      type: 'account.closed',
      data: { object: { status: 'closed' } },
    });
    expect(await last(owner.id)).toMatchObject({ type: 'user.deleted', account_id: null });
  });

  it('is recorded for each API key that is created and revoked, as the list of keys shows it', async () => {
    const { key, ...shown } = await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
    await owner.api.delete(`/v1/api-keys/${shown.id}`);
    const [revoked, issued] = await eventsOf(`object_id=${shown.id}`);
    expect(issued).toMatchObject({ type: 'api_key.created', account_id: owner.accountId, sequence: 1 });
    expect(issued!.data.object).toEqual(shown);
    expect(revoked).toMatchObject({ type: 'api_key.revoked', sequence: 2, data: { object: shown } });
    const stored = await service.sql('SELECT object::text FROM events WHERE object_id = $1', [shown.id]);
    const [row] = await service.sql<{ hash: string }>('SELECT hash FROM api_keys WHERE id = $1', [shown.id]);
    for (const secret of [key, row!.hash]) expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it('is recorded for each API key that the closing of an account revokes, but not for expired ones', async () => {
    const admin = await theAdmin(service.api);
    const expiry = new Date(service.clock.now().getTime() + 60_000).toISOString();
    const create = (members: object = {}) =>
      created(owner.api, '/v1/api-keys', { name: 'Web shop', ...members });
    const [one, other, expired] = [await create(), await create(), await create({ expires_at: expiry })];
    service.clock.move({ minutes: 2 });
    await owner.api.delete('/v1/account');
    const typesOf = async ({ id }: { id: string }) => summaryOf(await eventsOf(`object_id=${id}`, admin));
    expect(await typesOf(one)).toEqual(['1 api_key.created', '2 api_key.revoked']);
    expect(await typesOf(other)).toEqual(['1 api_key.created', '2 api_key.revoked']);
    expect(await typesOf(expired)).toEqual(['1 api_key.created']);
  });

  it('of a platform key is seen by operators only', async () => {
    const admin = await theAdmin(service.api);
    const { id } = await created(admin.api, '/v1/api-keys', { name: 'Rails', role: 'platform' });
    await admin.api.delete(`/v1/api-keys/${id}`);
    const events = await eventsOf(`object_id=${id}`, admin);
    expect(summaryOf(events)).toEqual(['1 api_key.created', '2 api_key.revoked']);
    expect(events.map((event) => event.account_id)).toEqual([null, null]);
    expect(await eventsOf(`object_id=${id}`)).toEqual([]);
  });

  it('is not recorded for a request that is rejected', async () => {
    const before = await eventsOf('');
    const refund = { ...aTransaction(owner.accountId), type: 'refund' };
    expect((await owner.api.post('/v1/transactions', refund)).status).toBe(402);
    expect(await eventsOf('')).toEqual(before);
  });

  it('contains no link of a payment page', async () => {
    const request = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    const secret = request.payment_url.split('/').at(-1);
    const stored = await service.sql('SELECT object::text FROM events WHERE object_id = $1', [request.id]);
    expect(stored).toHaveLength(1);
    expect(JSON.stringify(stored)).not.toContain(secret);
  });

  it.each([
    ['name', { name: 'Ada' }, ['account.updated']],
    ['status', { status: 'suspended' }, ['account.suspended']],
    ['name, and no change of the status that it has', { name: 'Ada', status: 'active' }, ['account.updated']],
    ['name and status', { name: 'Ada', status: 'pending' }, ['account.updated', 'account.made_pending']],
  ])('of an account tells a change of its %s', async (_, change, types) => {
    const admin = await theAdmin(service.api);
    await admin.api.patch(`/v1/accounts/${owner.accountId}`, change);
    const events = await eventsOf(`object_id=${owner.accountId}`, admin);
    expect(events.toReversed().map(({ type }) => type)).toEqual(['account.created', ...types]);
  });

  it('of an account does not fix its currency', async () => {
    const { status } = await owner.api.patch('/v1/account', { settings: { currency: 'EUR' } });
    expect(status).toBe(200);
  });
});

describe('The list of events', () => {
  it('shows an account its own, and operators those that belong to no account too', async () => {
    await aPendingPayment();
    const member = await aMember(service.api, owner);
    const platform = await anOperator(service.api, 'platform');
    const other = await anOwner(service.api);
    const own = await eventsOf('');
    expect(new Set(own.map((event) => event.account_id))).toEqual(new Set([owner.accountId]));
    expect(await eventsOf('', member)).toEqual(own);
    expect(await eventsOf(`account_id=${owner.accountId}`, other)).toEqual([]);
    expect(await eventsOf(`account_id=${owner.accountId}`, platform)).toEqual(own);
    expect(await eventsOf(`object_id=${member.id}`, owner)).toEqual([]);
    const [ofMember] = await eventsOf(`object_id=${member.id}`, platform);
    expect(ofMember).toMatchObject({ type: 'user.created', account_id: null });
    expect((await owner.api.get(`/v1/events/${ofMember!.id}`)).status).toBe(404);
    expect((await platform.api.get(`/v1/events/${ofMember!.id}`)).body).toEqual(ofMember);
  });

  it('shows platform systems what they read: neither approvals nor API keys', async () => {
    const admin = await theAdmin(service.api);
    const platform = await anOperator(service.api, 'platform');
    const { id: object_id } = await aUser(service.api);
    const asked = { type: 'make_admin', object_id, reason: 'Joins the back office' };
    const approval = await created(admin.api, '/v1/approvals', asked);
    const key = await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
    for (const [type, { id: object_id }] of Object.entries({
      'approval.created': approval,
      'api_key.created': key,
    })) {
      const [event] = await eventsOf(`object_id=${object_id}`, admin);
      expect(event).toMatchObject({ type });
      expect(await eventsOf(`object_id=${object_id}`, platform)).toEqual([]);
      for (const path of [`?type=${type}`, `?type=${type},user.created&format=csv`, `/${event!.id}`])
        expect((await platform.api.get(`/v1/events${path}`)).body).toEqual({
          error: 'forbidden',
          message: `Platform systems cannot read events of the type ${type}.`,
        });
      const seen = [
        await platform.api.get(`/v1/search?q=${event!.id}`),
        await platform.api.get('/v1/events?limit=100'),
        await platform.api.get('/v1/events?format=csv'),
      ];
      for (const { status, text } of seen) expect([status, text.includes(event!.id)]).toEqual([200, false]);
    }
    expect(await eventsOf(`object_id=${key.id}`)).toHaveLength(1);
  });

  it('is followed with the id of the newest event', async () => {
    const [newest] = await eventsOf('');
    const { id } = await aPendingPayment();
    await owner.api.patch(`/v1/transactions/${id}`, { reference: 'invoice-7' });
    const { body } = await owner.api.get(`/v1/events?limit=1&ending_before=${newest!.id}`);
    expect(body).toMatchObject({ data: [{ object_id: id, sequence: 1 }], has_more: true });
    const [next] = await eventsOf(`ending_before=${body.data[0].id}`);
    expect(next).toMatchObject({ object_id: id, sequence: 2 });
  });

  it('combines its filters', async () => {
    const { id } = await aPendingPayment();
    await owner.api.delete(`/v1/transactions/${id}`);
    await aPendingPayment();
    expect(await eventsOf(`object_id=${id}&type=transaction.canceled`)).toHaveLength(1);
    expect(await eventsOf(`object_id=${id}&type=transaction.failed`)).toEqual([]);
    expect(await eventsOf('type=transaction.created')).toHaveLength(2);
    expect(await eventsOf('type=transaction.created&date_to=2020-01-01')).toEqual([]);
  });

  it('rejects a type that no module declares', async () => {
    const { status, body } = await owner.api.get('/v1/events?type=transaction.vanished');
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(body.message).toContain('transaction.succeeded');
  });

  it('is walked from the oldest event, page by page in both directions', async () => {
    for (let count = 0; count < 3; count += 1) await aPendingPayment();
    const all = (await eventsOf('')).toReversed();
    const client = clientOf(service, owner);
    const walked: unknown[] = [];
    const query = { order: 'asc', limit: 2 } as const;
    for await (const event of client.list('/v1/events', { params: { query } })) walked.push(event);
    expect(walked).toEqual(all);
    expect(all.length).toBeGreaterThan(3);
    const { body } = await owner.api.get(`/v1/events?order=asc&limit=2&ending_before=${all[3]!.id}`);
    expect(body).toMatchObject({ data: [all[1], all[2]], has_more: true });
    expect(await eventsOf(`order=asc&starting_after=${all[1]!.id}`)).toEqual(all.slice(2));
  });

  it('takes several types', async () => {
    const { id } = await aPendingPayment();
    await owner.api.patch(`/v1/transactions/${id}`, { reference: 'invoice-7' });
    await owner.api.delete(`/v1/transactions/${id}`);
    const types = 'type=transaction.canceled,transaction.created,transaction.created';
    expect(summaryOf(await eventsOf(types))).toEqual(['1 transaction.created', '3 transaction.canceled']);
    expect(await eventsOf(`${types}&object_id=${id}`)).toHaveLength(2);
    for (const wrong of ['transaction.created,', 'transaction.created,transaction.vanished', ''])
      expect((await owner.api.get(`/v1/events?type=${wrong}`)).status).toBe(400);
  });

  it.each(['0'.repeat(26), `7${'z'.repeat(25)}`, '01kqm8ymg00e0g00000000c350'])(
    'takes evt_%s as a cursor, which nobody has issued',
    async (suffix) => {
      for (const query of ['ending_before', 'starting_after', 'order=asc&starting_after'])
        await eventsOf(`${query}=evt_${suffix}`);
    },
  );

  describe('after an event that was deleted', () => {
    let last: string;
    const later = async (days: number): Promise<void> => {
      service.clock.move({ days });
      await service.runDueTasks();
      owner = { ...owner, ...(await logIn(service.api, owner.email)) };
    };
    const outcomeOf = async (query: string, { api }: Pick<Person, 'api'> = owner): Promise<unknown> => {
      const { status, body } = await api.get(`/v1/events?${query}`);
      return status === 200 ? body.data.map(({ object_id }: EventBody) => object_id) : [status, body.error];
    };
    /** One event: it succeeds at once. */
    const aCredit = () =>
      created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { type: 'credit' }));
    const EXPIRED = [410, 'cursor_expired'];

    beforeEach(async () => {
      [last] = (await eventsOf('')).map(({ id }) => id) as [string];
    });

    it('goes on where nothing else was deleted: the account was idle', async () => {
      await later(31);
      expect(await service.sql('SELECT FROM events WHERE id = $1', [last])).toEqual([]);
      for (const query of [`ending_before=${last}`, `order=asc&starting_after=${last}`]) {
        const { id } = await aCredit();
        expect((await outcomeOf(query)) as string[]).toContain(id);
      }
      await later(29);
      expect(await outcomeOf(`ending_before=${last}`)).toHaveLength(2);
    });

    it('is told that events that followed it were deleted too', async () => {
      const { id } = await aCredit();
      const [missed] = await eventsOf('');
      await later(31);
      for (const direction of ['ending_before', 'order=asc&starting_after']) {
        expect(await outcomeOf(`${direction}=${last}`)).toEqual(EXPIRED);
        expect(await outcomeOf(`${direction}=${last}&object_id=${id}`)).toEqual(EXPIRED);
        expect(await outcomeOf(`${direction}=${missed!.id}`)).toEqual([]);
      }
      const { body } = await owner.api.get(`/v1/events?ending_before=${last}`);
      expect(body.message).toContain('order=asc');
      const next = await aCredit();
      expect(await outcomeOf('order=asc')).toEqual([next.id]);
      for (const query of [`starting_after=${last}`, `order=asc&ending_before=${last}`])
        expect(await outcomeOf(query)).toEqual([]);
    });

    it('is not told what other accounts have missed, unless it is an operator', async () => {
      const idle = owner;
      owner = await anOwner(service.api);
      await aCredit();
      await later(31);
      const [back, admin] = [await logIn(service.api, idle.email), await theAdmin(service.api)];
      expect(await outcomeOf(`ending_before=${last}`, back)).toEqual([]);
      expect(await outcomeOf(`ending_before=${last}&account_id=${idle.accountId}`, admin)).toEqual([]);
      expect(await outcomeOf(`ending_before=${last}`, admin)).toEqual(EXPIRED);
    });
  });

  it('keeps events for 30 days, and goes on with the next number after that', async () => {
    const { id } = await aPendingPayment();
    service.clock.move({ days: 30, minutes: -1 });
    await service.runDueTasks();
    expect(await service.sql('SELECT FROM events WHERE object_id = $1', [id])).toHaveLength(2);
    service.clock.move({ days: 31 });
    await service.runDueTasks();
    expect(await service.sql('SELECT FROM events WHERE object_id = $1', [id])).toHaveLength(0);
    const later = await logIn(service.api, owner.email);
    await later.api.patch(`/v1/transactions/${id}`, { reference: 'late' });
    expect(summaryOf(await eventsOf(`object_id=${id}`, later))).toEqual(['3 transaction.updated']);
  });
});

it('issues ids of events in the order of the commits, whatever the clocks say', () => {
  const noon = new Date('2026-01-31T12:00:00.000Z');
  const account = Account.create({ email: 'a@example.com', name: 'A', type: 'individual' }, noon);
  const earlier = new Date(noon.getTime() - 5_000);
  const ids = [noon, noon, earlier].map((now) => account.issueEventId(now).id);
  expect(ids).toEqual(ids.toSorted());
});

describe('A change without an event', () => {
  it.each([
    ['of a transaction', "UPDATE transactions SET updated_at = '2999-01-01Z' WHERE id = $1"],
    ['whose number is skipped', 'UPDATE transactions SET event_count = event_count + 1 WHERE id = $1'],
    ['whose event is lost', 'DELETE FROM events WHERE object_id = $1'],
  ])('%s is found by the tests', async (_, defect) => {
    const { id } = await aPendingPayment();
    await service.sql('BEGIN');
    await service.sql(defect, [id]);
    const found = await unrecordedChanges(service);
    await service.sql('ROLLBACK');
    expect(found).toEqual([expect.stringContaining(id)]);
  });

  it('is found by the tests when it is the revocation of an API key', async () => {
    const { id } = await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
    await service.sql('BEGIN');
    await service.sql('UPDATE api_keys SET revoked_at = created_at WHERE id = $1', [id]);
    const found = await unrecordedChanges(service);
    await service.sql('ROLLBACK');
    expect(found).toEqual([`api_keys: ${id}`]);
  });
});
