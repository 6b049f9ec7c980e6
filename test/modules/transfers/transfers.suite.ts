import { LedgerVerification } from '../../../src/modules/ledger';
import { ISO_MS, outcome, unknownId } from '../../support/account-owned';
import { Api } from '../../support/api';
import { anOperator, anOwner, created, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { TestService } from '../../support/service';
import { contextOn } from '../ledger/context';

const PATH = '/v1/transfers';
const HOUR_MS = 3_600_000;

/** Tests transfers against the service that `start` starts. */
export function transfersSuite(start: (env: NodeJS.ProcessEnv) => Promise<TestService>): void {
  let service: TestService;
  let admin: Person;
  let platform: Person;
  let giver: Owner;
  let receiver: Owner;

  beforeAll(async () => {
    service = await start({ ACCESS_TOKEN_TTL: '86400' });
    admin = await theAdmin(service.api);
    platform = await anOperator(service.api, 'platform');
  });
  beforeEach(async () => {
    giver = await anOwnerWith(1000);
    receiver = await anOwner(service.api);
  });
  afterAll(async () => {
    const app = await contextOn(service);
    const { faults } = await app.get(LedgerVerification).run(() => undefined);
    await app.close();
    await service.stop();
    expect(faults).toEqual([]);
  });

  const anOwnerWith = async (amount: number): Promise<Owner> => {
    const owner = await anOwner(service.api);
    await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { type: 'credit', amount }));
    return owner;
  };
  const terms = (members: object = {}) => ({
    from_account_id: giver.accountId,
    to_account_id: receiver.accountId,
    amount: 300,
    currency: 'USD',
    ...members,
  });
  const create = (members: object = {}, api: Api = giver.api) => api.post(PATH, terms(members));
  const transfer = (members: object = {}): Promise<any> => created(giver.api, PATH, terms(members));
  const toSeveral = (...to: object[]) => ({ to, to_account_id: undefined, amount: undefined });
  const balance = async ({ api }: Owner) => {
    const { body } = await api.get('/v1/account/balance');
    return [body.posted, body.held, body.pending_in];
  };
  const seenBy = async ({ api }: Person, { id }: { id: string }) => (await api.get(`${PATH}/${id}`)).body;
  const eventsOf = async ({ api }: Owner): Promise<string[]> => {
    const { data } = (await api.get('/v1/events?limit=100')).body;
    return data.map(({ type }: any) => type).filter((type: string) => type.startsWith('transfer.'));
  };

  describe('POST /v1/transfers', () => {
    it('moves money at once, and shows each side its own', async () => {
      const { status, body } = await create({ reference: 'rent', metadata: { month: 11 } });
      expect(status).toBe(201);
      const from = (await giver.api.get('/v1/account')).body.name;
      const name = (await receiver.api.get('/v1/account')).body.name;
      expect(body).toStrictEqual({
        id: expect.stringMatching(/^trf_[0-9a-z]{26}$/),
        account_id: giver.accountId,
        amount: 300,
        currency: 'USD',
        status: 'succeeded',
        created_at: expect.stringMatching(ISO_MS),
        direction: 'out',
        from_account_id: giver.accountId,
        from_account_name: from,
        to: [{ account_id: receiver.accountId, account_name: name, amount: 300, reference: 'rent' }],
        reference: 'rent',
        metadata: { month: 11 },
        expires_at: null,
        updated_at: body.created_at,
      });
      expect(await seenBy(giver, body)).toStrictEqual(body);
      expect(await seenBy(receiver, body)).toStrictEqual({
        ...body,
        account_id: receiver.accountId,
        direction: 'in',
        metadata: {},
      });
      expect(await balance(giver)).toEqual([700, 0, 0]);
      expect(await balance(receiver)).toEqual([300, 0, 0]);
    });

    it('writes an entry of each account with the name that the other one had, and an event', async () => {
      const rename = async ({ api }: Owner, name: string) =>
        expect((await api.patch('/v1/account', { name })).status).toBe(200);
      await rename(giver, 'Market Hall');
      await rename(receiver, 'Corner Shop');
      const { id } = await transfer({ reference: 'rent' });
      for (const owner of [giver, receiver]) await rename(owner, 'Renamed Ltd');
      for (const [owner, amount, counterparty] of [
        [giver, -300, 'Corner Shop'],
        [receiver, 300, 'Market Hall'],
      ] as const) {
        const { data } = (await owner.api.get('/v1/account/entries')).body;
        expect(data[0]).toMatchObject({
          ...{ transaction_id: id, amount, type: 'transfer', reference: 'rent', counterparty },
        });
        expect(await eventsOf(owner)).toEqual(['transfer.succeeded']);
      }
    });

    it('names no other side of a transfer to several accounts, but that which gives', async () => {
      const other = await anOwner(service.api);
      await transfer(
        toSeveral(...[receiver, other].map(({ accountId: account_id }) => ({ account_id, amount: 1 }))),
      );
      const { name } = (await giver.api.get('/v1/account')).body;
      for (const [{ api }, counterparty] of [
        [giver, null],
        [receiver, name],
      ] as const)
        expect((await api.get('/v1/account/entries')).body.data[0].counterparty).toBe(counterparty);
    });

    it('moves money to several accounts, each of which sees its own part', async () => {
      const other = await anOwner(service.api);
      const several = toSeveral(
        { account_id: receiver.accountId, amount: 300, reference: 'a' },
        { account_id: other.accountId, amount: 700 },
      );
      const { status, body } = await create({ ...several, reference: 'shares' });
      expect([status, body.amount, body.to.length]).toEqual([201, 1000, 2]);
      expect(await seenBy(receiver, body)).toMatchObject({
        amount: 300,
        reference: 'a',
        to: [{ account_id: receiver.accountId }],
      });
      expect((await seenBy(other, body)).to).toEqual([expect.objectContaining({ reference: 'shares' })]);
      expect([await balance(giver), await balance(receiver), await balance(other)]).toEqual([
        [0, 0, 0],
        [300, 0, 0],
        [700, 0, 0],
      ]);
    });

    it('moves all parts or none', async () => {
      const several = toSeveral(
        { account_id: receiver.accountId, amount: 300 },
        { account_id: unknownId('acc'), amount: 1 },
      );
      expect(outcome(await create(several))).toBe('404 not_found');
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [1000, 0, 0],
        [0, 0, 0],
      ]);
    });

    it.each<[string, () => object, string]>([
      ['more than is available', () => ({ amount: 1001 }), '402 insufficient_funds'],
      ['another currency', () => ({ currency: 'EUR' }), '400 currency_mismatch'],
      ['an unknown receiver', () => ({ to_account_id: unknownId('acc') }), '404 not_found'],
      ['a malformed receiver', () => ({ to_account_id: 'me' }), '404 not_found'],
      ['an unknown giver', () => ({ from_account_id: unknownId('acc') }), '404 not_found'],
      ['the same account', () => ({ to_account_id: giver.accountId }), '400 invalid_request'],
      ['no receiver', () => ({ to_account_id: undefined }), '400 invalid_request'],
      ['no amount', () => ({ amount: undefined }), '400 invalid_request'],
      ['an empty list', () => toSeveral(), '400 invalid_request'],
      ['both forms', () => ({ to: [{ account_id: receiver.accountId, amount: 1 }] }), '400 invalid_request'],
      ['a part that is no object', () => toSeveral('acc' as never), '400 invalid_request'],
      [
        'a part of zero',
        () => toSeveral({ account_id: receiver.accountId, amount: 0 }),
        '400 invalid_request',
      ],
      [
        'an account twice',
        () => toSeveral(...[1, 2].map((amount) => ({ account_id: receiver.accountId, amount }))),
        '400 invalid_request',
      ],
      [
        'a sum beyond the largest amount',
        () =>
          toSeveral(
            { account_id: receiver.accountId, amount: Number.MAX_SAFE_INTEGER },
            { account_id: unknownId('acc'), amount: 1 },
          ),
        '404 not_found',
      ],
      ['an expiry of what moves now', () => ({ expires_at: '2999-01-01T00:00:00Z' }), '400 invalid_request'],
      [
        'an expiry in the past',
        () => ({ capture: 'later', expires_at: '2020-01-01T00:00:00Z' }),
        '400 invalid_request',
      ],
    ])('rejects %s', async (_, members, expected) => {
      expect(outcome(await create(members()))).toBe(expected);
      expect(await balance(giver)).toEqual([1000, 0, 0]);
      expect(await eventsOf(receiver)).toEqual([]);
    });

    it('rejects an account of another currency, and one that is not active', async () => {
      const inEuro = await anOwner(service.api, { currency: 'EUR' });
      expect(outcome(await create({ to_account_id: inEuro.accountId }))).toBe('400 currency_mismatch');
      for (const [status, who] of [
        ['suspended', receiver],
        ['pending', receiver],
        ['suspended', giver],
      ] as const) {
        const path = `/v1/accounts/${who.accountId}`;
        await admin.api.patch(path, { status });
        const { body } = await create({}, admin.api);
        expect(body.error).toBe('forbidden');
        if (who === receiver) expect(body.message).not.toContain(status); // a stranger's status
        await admin.api.patch(path, { status: 'active' });
      }
    });

    it('moves only money of the own account, except for operators', async () => {
      expect(outcome(await create({}, receiver.api))).toBe('404 not_found');
      expect(outcome(await create({}, platform.api))).toBe('201 succeeded');
      const { body } = await create({}, admin.api);
      const log = (await admin.api.get(`/v1/audit-log?object_id=${body.id}`)).body.data;
      expect(log[0]).toMatchObject({ action: 'transfer.create', account_id: giver.accountId });
    });

    it('creates one transfer for a repeated idempotency key', async () => {
      const headers = { 'Idempotency-Key': 'rent-11' };
      const replies = await Promise.all([1, 2, 3].map(() => giver.api.post(PATH, terms(), { headers })));
      expect(new Set(replies.map(({ body }) => body.id)).size).toBe(1);
      expect(await balance(giver)).toEqual([700, 0, 0]);
    });

    it('tells what would happen, and moves nothing', async () => {
      const { status, body } = await create({ dry_run: true });
      expect([status, body.dry_run, body.balance.posted]).toEqual([200, true, 700]);
      expect(await balance(giver)).toEqual([1000, 0, 0]);
      expect(outcome(await giver.api.get(`${PATH}/${body.id}`))).toBe('404 not_found');
    });
  });

  describe('A transfer that is captured later', () => {
    it('holds the money until it is captured', async () => {
      const held = await transfer({ capture: 'later' });
      expect(held.status).toBe('pending');
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [1000, 300, 0],
        [0, 0, 300],
      ]);
      const { status, body } = await giver.api.post(`${PATH}/${held.id}/capture`, {});
      expect([status, body.status]).toEqual([200, 'succeeded']);
      expect((await giver.api.post(`${PATH}/${held.id}/capture`, {})).body).toStrictEqual(body);
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [700, 0, 0],
        [300, 0, 0],
      ]);
      expect(await eventsOf(receiver)).toEqual(['transfer.captured', 'transfer.created']);
    });

    it('releases what a capture leaves', async () => {
      const { id } = await transfer({ capture: 'later' });
      const capture = (amount?: number) => giver.api.post(`${PATH}/${id}/capture`, { amount });
      expect(outcome(await capture(301))).toBe('400 invalid_request');
      const { body } = await capture(100);
      expect(body).toMatchObject({ amount: 100, released_amount: 200 });
      expect((await capture(100)).body).toStrictEqual(body);
      for (const another of [200, 300, undefined])
        expect(outcome(await capture(another))).toBe('409 conflict');
      expect(await seenBy(receiver, { id })).toMatchObject({ amount: 100, to: [{ amount: 100 }] });
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [900, 0, 0],
        [100, 0, 0],
      ]);
    });

    it('captures several parts as a whole', async () => {
      const other = await anOwner(service.api);
      const parts = [receiver, other].map(({ accountId }) => ({ account_id: accountId, amount: 100 }));
      const { id } = await transfer({ ...toSeveral(...parts), capture: 'later' });
      expect(outcome(await giver.api.post(`${PATH}/${id}/capture`, { amount: 150 }))).toBe(
        '400 invalid_request',
      );
      expect(outcome(await giver.api.post(`${PATH}/${id}/capture`, { amount: 200 }))).toBe('200 succeeded');
      expect(await balance(other)).toEqual([100, 0, 0]);
    });

    it('is canceled by the account that gives', async () => {
      const { id } = await transfer({ capture: 'later' });
      expect(outcome(await receiver.api.delete(`${PATH}/${id}`))).toBe('403 forbidden');
      expect(outcome(await receiver.api.post(`${PATH}/${id}/capture`, {}))).toBe('403 forbidden');
      expect((await giver.api.delete(`${PATH}/${id}`)).body.status).toBe('canceled');
      expect(outcome(await giver.api.delete(`${PATH}/${id}`))).toBe('409 not_cancellable');
      expect(outcome(await giver.api.post(`${PATH}/${id}/capture`, {}))).toBe('409 conflict');
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [1000, 0, 0],
        [0, 0, 0],
      ]);
      expect(await eventsOf(giver)).toEqual(['transfer.canceled', 'transfer.created']);
    });

    it('is not captured while one of the accounts is suspended', async () => {
      const { id } = await transfer({ capture: 'later' });
      for (const { accountId } of [giver, receiver]) {
        await admin.api.patch(`/v1/accounts/${accountId}`, { status: 'suspended' });
        expect(outcome(await platform.api.post(`${PATH}/${id}/capture`, {}))).toBe('403 forbidden');
        await admin.api.patch(`/v1/accounts/${accountId}`, { status: 'active' });
      }
      expect(outcome(await platform.api.post(`${PATH}/${id}/capture`, {}))).toBe('200 succeeded');
    });

    it('expires', async () => {
      const expires_at = new Date(service.clock.now().getTime() + HOUR_MS).toISOString();
      const { id } = await transfer({ capture: 'later', expires_at });
      await service.runDueTasks();
      expect((await seenBy(giver, { id })).status).toBe('pending');
      service.clock.move({ seconds: 3600 });
      expect(outcome(await giver.api.post(`${PATH}/${id}/capture`, {}))).toBe('409 conflict');
      await service.runDueTasks();
      expect((await seenBy(receiver, { id })).status).toBe('expired');
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [1000, 0, 0],
        [0, 0, 0],
      ]);
      expect(await eventsOf(receiver)).toContain('transfer.expired');
    });

    it.each(['giver', 'receiver'] as const)('is canceled when the account of the %s closes', async (side) => {
      const { id } = await transfer({ capture: 'later' });
      const closing = side === 'giver' ? giver : receiver;
      const remaining = side === 'giver' ? receiver : giver;
      expect((await admin.api.delete(`/v1/accounts/${closing.accountId}`)).status).toBe(200);
      expect((await seenBy(remaining, { id })).status).toBe('canceled');
      expect(await balance(remaining)).toEqual([side === 'giver' ? 0 : 1000, 0, 0]);
      expect(await eventsOf(remaining)).toContain('transfer.canceled');
    });
  });

  describe('POST /v1/transfers/{transfer_id}/reversal', () => {
    const reverse = ({ api }: Person, { id }: { id: string }, members: object = {}, options = {}) =>
      api.post(`${PATH}/${id}/reversal`, members, options);

    it('sends money back in parts, never more than was received', async () => {
      const sent = await transfer();
      const back = await reverse(receiver, sent, {
        amount: 100,
        reference: 'sorry',
        metadata: { why: 'late' },
      });
      expect(back.status).toBe(201);
      expect(back.body).toMatchObject({
        account_id: receiver.accountId,
        amount: 100,
        direction: 'out',
        reversal_of: sent.id,
        reference: 'sorry',
        metadata: { why: 'late' },
        to: [{ account_id: giver.accountId }],
      });
      expect(outcome(await reverse(receiver, sent, { amount: 201 }))).toBe('400 invalid_request');
      expect((await reverse(receiver, sent)).body.amount).toBe(200);
      expect(outcome(await reverse(receiver, sent))).toBe('400 invalid_request');
      for (const side of [giver, receiver])
        expect(await seenBy(side, sent)).toMatchObject({ status: 'succeeded', reversed_amount: 300 });
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [1000, 0, 0],
        [0, 0, 0],
      ]);
      expect(await eventsOf(giver)).toEqual([
        'transfer.succeeded',
        'transfer.reversed',
        'transfer.succeeded',
        'transfer.reversed',
        'transfer.succeeded',
      ]);
    });

    it('is for the account that received the money, and operators', async () => {
      const sent = await transfer();
      expect(outcome(await reverse(giver, sent))).toBe('403 forbidden');
      expect(outcome(await reverse(await anOwner(service.api), sent))).toBe('404 not_found');
      expect(outcome(await reverse(platform, sent, { amount: 1 }))).toBe('201 succeeded');
      expect(outcome(await reverse(admin, sent))).toBe('201 succeeded');
    });

    it('names one of several receivers', async () => {
      const other = await anOwner(service.api);
      const parts = [receiver, other].map(({ accountId }) => ({ account_id: accountId, amount: 100 }));
      const sent = await transfer(toSeveral(...parts));
      expect(outcome(await reverse(platform, sent))).toBe('400 invalid_request');
      expect(outcome(await reverse(platform, sent, { account_id: giver.accountId }))).toBe(
        '400 invalid_request',
      );
      expect(outcome(await reverse(receiver, sent, { account_id: other.accountId }))).toBe(
        '400 invalid_request',
      );
      expect(outcome(await reverse(platform, sent, { account_id: other.accountId }))).toBe('201 succeeded');
      expect(outcome(await reverse(receiver, sent))).toBe('201 succeeded');
      expect((await seenBy(giver, sent)).reversed_amount).toBe(200);
    });

    it('moves nothing that is not there any more', async () => {
      const sent = await transfer();
      await created(
        receiver.api,
        '/v1/transactions',
        aTransaction(receiver.accountId, { type: 'refund', amount: 1 }),
      );
      expect(outcome(await reverse(receiver, sent))).toBe('402 insufficient_funds');
      expect((await seenBy(giver, sent)).reversed_amount).toBeUndefined();
    });

    it('rejects what has not succeeded, and a reversal', async () => {
      const held = await transfer({ capture: 'later' });
      expect(outcome(await reverse(receiver, held))).toBe('409 conflict');
      const back = await reverse(receiver, await transfer());
      expect(outcome(await reverse(giver, back.body))).toBe('409 conflict');
    });

    it('sends money back once for a repeated idempotency key, and none in a dry run', async () => {
      const sent = await transfer();
      expect((await reverse(receiver, sent, { dry_run: true })).body.balance.posted).toBe(0);
      const options = { headers: { 'Idempotency-Key': 'back' } };
      const replies = await Promise.all([1, 2].map(() => reverse(receiver, sent, { amount: 100 }, options)));
      expect(replies[0]!.body).toEqual(replies[1]!.body);
      expect(await balance(giver)).toEqual([800, 0, 0]);
    });
  });

  describe('GET /v1/transfers', () => {
    it('lists both directions for an account, and each transfer once for operators', async () => {
      const one = await transfer({ reference: 'one' });
      const two = await transfer({ capture: 'later', amount: 10 });
      const back = (await receiver.api.post(`${PATH}/${one.id}/reversal`, { amount: 5 })).body;
      const idsOf = async ({ api }: Person, query: string) =>
        (await api.get(`${PATH}?limit=100&${query}`)).body.data.map(({ id }: any) => id);
      expect(await idsOf(giver, '')).toEqual([back.id, two.id, one.id]);
      expect(await idsOf(giver, 'direction=in')).toEqual([back.id]);
      for (const who of [giver, receiver, admin])
        expect(await idsOf(who, `reversal_of=${one.id}`)).toEqual([back.id]);
      expect(await idsOf(receiver, `reversal_of=${one.id}&direction=in`)).toEqual([]);
      expect(await idsOf(receiver, 'status=pending')).toEqual([two.id]);
      expect(await idsOf(receiver, 'reference=one')).toEqual([one.id]);
      expect(await idsOf(receiver, 'amount_min=10&amount_max=299')).toEqual([two.id]);
      expect(await idsOf(admin, `account_id=${receiver.accountId}&direction=in`)).toEqual([two.id, one.id]);
      expect((await idsOf(admin, '')).slice(0, 3)).toEqual([back.id, two.id, one.id]);
    });

    it('shows nothing of other accounts', async () => {
      const { id } = await transfer();
      const stranger = await anOwner(service.api);
      expect(outcome(await stranger.api.get(`${PATH}/${id}`))).toBe('404 not_found');
      expect((await stranger.api.get(`${PATH}?account_id=${giver.accountId}`)).body.data).toEqual([]);
    });

    it('never inserts a transfer before one that a receiver has seen', async () => {
      const others = await Promise.all([1, 2, 3, 4].map(() => anOwnerWith(100)));
      const send = (from: Owner) =>
        created(from.api, PATH, { ...terms(), from_account_id: from.accountId, amount: 1 });
      await Promise.all(Array.from({ length: 40 }, (_, index) => send(others[index % 4]!)));
      const numbers = (await receiver.api.get('/v1/account/entries?limit=100')).body.data;
      const listed = (await receiver.api.get(`${PATH}?limit=100`)).body.data;
      expect(listed.map(({ id }: any) => id)).toEqual(numbers.map((entry: any) => entry.transaction_id));
    });
  });

  describe('POST /v1/transfers/batch', () => {
    const send = (mode: string, transfers: object[], headers = {}) =>
      giver.api.post(`${PATH}/batch`, { mode, transfers }, { headers });

    it('creates all in their order, or none', async () => {
      const { status, body } = await send('atomic', [terms({ amount: 600 }), terms({ amount: 400 })]);
      expect([status, body.data.map((one: any) => [one.status, one.transfer.amount])]).toEqual([
        201,
        [
          [201, 600],
          [201, 400],
        ],
      ]);
      const failed = await send('atomic', [terms({ to: [] }), terms()]);
      expect(failed.body.message).toContain('0');
      expect(outcome(await send('atomic', [terms({ amount: 1 })]))).toBe('402 insufficient_funds');
      expect([await balance(giver), await balance(receiver)]).toEqual([
        [0, 0, 0],
        [1000, 0, 0],
      ]);
    });

    it('creates each on its own, once for a repeated key', async () => {
      const items = [terms({ amount: 600 }), terms({ amount: 600 }), terms({ amount: 1, currency: 'EUR' })];
      const headers = { 'Idempotency-Key': 'payroll' };
      const first = (await send('independent', items, headers)).body.data;
      expect(first.map(({ status }: any) => status).toSorted()).toEqual([201, 400, 402]);
      const again = (await send('independent', items, headers)).body.data;
      expect(again.filter(({ replayed }: any) => replayed)).toHaveLength(1);
      expect(await balance(giver)).toEqual([400, 0, 0]);
    });
  });

  it('needs the scope of an API key', async () => {
    const keyWith = async (scope: string): Promise<Api> => {
      const { key } = await created(giver.api, '/v1/api-keys', { name: scope, scopes: [scope] });
      return service.api.as(key);
    };
    const [reads, writes, transactions] = await Promise.all(
      ['transfers:read', 'transfers:write', 'transactions:write'].map(keyWith),
    );
    const { id } = await created(writes!, PATH, terms({ amount: 1 }));
    expect((await reads!.get(`${PATH}/${id}`)).status).toBe(200);
    expect(outcome(await create({}, reads))).toBe('403 forbidden');
    expect(outcome(await create({}, transactions))).toBe('403 forbidden');
    expect(outcome(await writes!.get(PATH))).toBe('403 forbidden');
  });
}
