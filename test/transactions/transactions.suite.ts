import fc from 'fast-check';
import { Api, Reply } from '../support/api';
import { aTransaction } from '../support/movements';
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
} from '../support/people';
import { SEED } from '../support/rounds';
import { TestService } from '../support/service';

const LARGEST = 9_007_199_254_740_991;
const NO_SUCH_ACCOUNT = 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w';
const NO_SUCH_TRANSACTION = 'txn_01k9x8v2t4e6rb3m5n7p9q1s0w';
const ISO_MS = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const PATH = '/v1/transactions';

/** Interface 4.4, on any database that `start` brings the service up on. */
export function transactionsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let stranger: Owner;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    service = await start();
    [owner, stranger, admin, platform] = await Promise.all([
      anOwner(service.api),
      anOwner(service.api),
      theAdmin(service.api),
      anOperator(service.api, 'platform'),
    ]);
  });
  afterAll(() => service.stop());

  const create = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
    api.post(PATH, aTransaction(owner.accountId, members));
  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.status}`;
  /** An owner whose account holds so much. */
  const anOwnerWith = async (amount: number, settings: object = {}): Promise<Owner> => {
    const rich = await anOwner(service.api, settings);
    await created(rich.api, PATH, aTransaction(rich.accountId, { type: 'credit', amount, ...settings }));
    return rich;
  };
  const posted = async ({ accountId }: Owner): Promise<number> => {
    const [row] = await service.sql<{ posted: string }>('SELECT posted FROM accounts WHERE id = $1', [
      accountId,
    ]);
    return Number(row!.posted);
  };

  describe('POST /v1/transactions', () => {
    it('answers 201 with the transaction, without updated_at, and with what was not given as null and {}', async () => {
      const { status, body } = await create();
      expect(status).toBe(201);
      expect(body).toStrictEqual({
        id: expect.stringMatching(/^txn_[0-9a-z]{26}$/),
        account_id: owner.accountId,
        amount: 1250,
        currency: 'USD',
        type: 'payment',
        status: 'pending',
        reference: null,
        metadata: {},
        created_at: expect.stringMatching(ISO_MS),
      });
    });

    it('keeps the reference and the metadata as they were sent', async () => {
      const metadata = {
        order: '2041',
        nested: { list: [1, 'two', null, { yes: true }] },
        'naïve key': 0.5,
        empty: null,
      };
      const { body } = await create({ reference: 'invoice-2041', metadata });
      expect(body).toMatchObject({ reference: 'invoice-2041', metadata });
      expect((await owner.api.get(`${PATH}/${body.id}`)).body).toMatchObject({
        reference: 'invoice-2041',
        metadata,
      });
      expect((await create({ reference: null, metadata: null })).body).toMatchObject({
        reference: null,
        metadata: {},
      });
      expect((await create({ reference: '' })).body.reference).toBe('');
    });

    it.each([
      ['payment', 'pending'],
      ['credit', 'succeeded'],
      ['refund', 'succeeded'],
    ])('a %s is born %s', async (type, status) => {
      const rich = await anOwnerWith(5000);
      const { body } = await rich.api.post(PATH, aTransaction(rich.accountId, { type }));
      expect(body).toMatchObject({ type, status });
    });

    it('moves the balance by credits and refunds at once, and by payments not yet', async () => {
      const rich = await anOwnerWith(5000);
      await created(rich.api, PATH, aTransaction(rich.accountId, { type: 'refund', amount: 1200 }));
      await created(rich.api, PATH, aTransaction(rich.accountId, { type: 'payment', amount: 700 }));
      expect(await posted(rich)).toBe(3800);
      expect(
        await service.sql('SELECT held, pending_in FROM accounts WHERE id = $1', [rich.accountId]),
      ).toEqual([{ held: '0', pending_in: '700' }]);
    });

    it.each(['account_id', 'amount', 'currency', 'type'])('without %s is refused', async (member) => {
      expect(outcome(await create({ [member]: undefined }))).toBe('400 invalid_request');
      expect(outcome(await create({ [member]: null }))).toBe('400 invalid_request');
    });

    it.each<object>([
      { account_id: 7 },
      { account_id: ['acc'] },
      { account_id: {} },
      { currency: 'usd' },
      { currency: 'US' },
      { currency: 'USDX' },
      { currency: 'ZZZ' },
      { currency: '' },
      { currency: 840 },
      { currency: ['USD'] },
      { currency: ' USD' },
      { currency: 'USD\n' },
      { type: 'Payment' },
      { type: 'transfer' },
      { type: '' },
      { type: ['payment'] },
      { type: 1 },
      { type: 'constructor' },
      { reference: 1 },
      { reference: {} },
      { reference: ['a'] },
      { reference: 'x'.repeat(256) },
      { reference: true },
      { metadata: [] },
      { metadata: 'a' },
      { metadata: 1 },
      { metadata: true },
      { metadata: { ['k'.repeat(41)]: 1 } },
      { metadata: { '': 1 } },
      { metadata: { a: { b: { c: { d: {} } } } } },
      { metadata: { note: 'x'.repeat(8192) } },
      { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, index) => [index, 1])) },
      { status: 'succeeded' },
      { id: NO_SUCH_TRANSACTION },
      { created_at: '2020-01-01T00:00:00.000Z' },
      { updated_at: null },
      { Amount: 1 },
      { accountId: 'acc' },
      { constructor: 1 },
    ])('with %j is refused', async (members) => {
      expect(outcome(await create(members))).toBe('400 invalid_request');
    });

    it.each<unknown>([null, [], 'text', 1, true])('with the body %j is refused', async (body) => {
      expect(outcome(await owner.api.post(PATH, body))).toBe('400 invalid_request');
    });

    it('takes the longest reference and the largest metadata', async () => {
      const metadata = Object.fromEntries(
        Array.from({ length: 50 }, (_, index) => [`${index}`.padStart(40, 'k'), { a: { b: {} } }]),
      );
      for (const members of [
        { reference: 'x'.repeat(255) },
        { reference: '\u{1f4b6}'.repeat(255) },
        { metadata },
      ]) {
        const { status, body } = await create(members);
        expect(status).toBe(201);
        expect((await owner.api.get(`${PATH}/${body.id}`)).body).toMatchObject(members);
      }
    });

    it(`gives metadata back as it was sent (seed ${SEED})`, async () => {
      const leaf = fc.oneof(
        fc.string({ unit: 'grapheme', maxLength: 10 }).filter((text) => !text.includes('\0')),
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e6, max: 1e6 }).map((value) => value || 0),
        fc.boolean(),
        fc.constant(null),
      );
      const key = fc
        .string({ unit: 'grapheme', minLength: 1, maxLength: 8 })
        .filter((text) => !text.includes('\0') && text !== '__proto__');
      const inner = fc.oneof(
        leaf,
        fc.array(leaf, { maxLength: 3 }),
        fc.dictionary(key, leaf, { maxKeys: 3, noNullPrototype: true }),
      );
      await fc.assert(
        fc.asyncProperty(
          fc.dictionary(key, inner, { maxKeys: 5, noNullPrototype: true }),
          async (metadata) => {
            const { status, body } = await create({ metadata });
            expect(status).toBe(201);
            expect(JSON.stringify(body.metadata)).toBe(JSON.stringify(metadata));
            expect((await owner.api.get(`${PATH}/${body.id}`)).body.metadata).toEqual(
              JSON.parse(JSON.stringify(metadata)),
            );
          },
        ),
        { numRuns: 30, seed: SEED },
      );
    });
  });

  describe('The amount', () => {
    const send = (literal: string, api: Api, accountId: string): Promise<Reply> =>
      api.call(
        'POST',
        PATH,
        `{"account_id":"${accountId}","amount":${literal},"currency":"USD","type":"payment"}`,
      );

    it.each([
      ['1', 1],
      ['1250', 1250],
      ['1e3', 1000],
      ['1.0', 1],
      ['12.50e2', 1250],
      ['9007199254740991', LARGEST],
      ['9.007199254740991e15', LARGEST],
    ])('%s is stored as it is', async (literal, amount) => {
      const { accountId, api } = await anOwner(service.api);
      const { status, body } = await send(literal, api, accountId);
      expect([status, body.amount]).toEqual([201, amount]);
      expect(await service.sql('SELECT amount FROM transactions WHERE id = $1', [body.id])).toEqual([
        { amount: `${amount}` },
      ]);
      expect((await api.get(`${PATH}/${body.id}`)).body.amount).toBe(amount);
    });

    it.each([
      '0',
      '-0',
      '0.0',
      '-1',
      '-1250',
      '1.5',
      '0.1',
      '1e-1',
      '"100"',
      '""',
      'true',
      'null',
      '[1]',
      '{}',
      '9007199254740992',
      '9007199254740993',
      '9223372036854775807',
      '9223372036854775808',
      '18446744073709551616',
      '1e300',
      '1e400',
      '9007199254740991.4',
      '0.99999999999999999999',
      '1e-400',
    ])('%s is refused', async (literal) => {
      expect(outcome(await send(literal, owner.api, owner.accountId))).toBe('400 invalid_request');
    });

    it.each(['01', '+1', '1.', '.5', '0x10', 'NaN', 'Infinity', '1_000', '1n', ''])(
      '%s is not even JSON',
      async (literal) => {
        expect(outcome(await send(literal, owner.api, owner.accountId))).toBe('400 invalid_request');
      },
    );
  });

  describe('The currency', () => {
    it("must be the account's", async () => {
      const european = await anOwner(service.api, { currency: 'EUR' });
      const send = (currency: string): Promise<Reply> =>
        european.api.post(PATH, aTransaction(european.accountId, { currency }));
      expect(outcome(await send('USD'))).toBe('400 currency_mismatch');
      expect(outcome(await send('EUR'))).toBe('201 pending');
      expect(outcome(await create({ currency: 'EUR' }))).toBe('400 currency_mismatch');
    });
  });

  describe('A refund', () => {
    it('beyond what is available is 402, and says what is required, available and held', async () => {
      const rich = await anOwnerWith(1000);
      const refund = (amount: number): Promise<Reply> =>
        rich.api.post(PATH, aTransaction(rich.accountId, { type: 'refund', amount }));
      const refused = await refund(1001);
      expect(outcome(refused)).toBe('402 insufficient_funds');
      expect(refused.body.message).toMatch(/required 1001\b.*available 1000\b.*held 0\b/);
      expect(outcome(await refund(1000))).toBe('201 succeeded');
      expect((await refund(1)).body.message).toMatch(/required 1\b.*available 0\b.*held 0\b/);
      expect(await posted(rich)).toBe(0);
    });

    it('does not reach for what is pending', async () => {
      const poor = await anOwner(service.api);
      await created(poor.api, PATH, aTransaction(poor.accountId, { amount: 5000 }));
      expect(
        outcome(await poor.api.post(PATH, aTransaction(poor.accountId, { type: 'refund', amount: 1 }))),
      ).toBe('402 insufficient_funds');
    });

    it('that is refused leaves no trace', async () => {
      const poor = await anOwner(service.api);
      await poor.api.post(PATH, aTransaction(poor.accountId, { type: 'refund', amount: 1 }));
      expect((await poor.api.get(PATH)).body.data).toEqual([]);
      expect(await posted(poor)).toBe(0);
    });
  });

  describe('The range of a balance', () => {
    it('ends at 2^53 - 1, posted and pending together', async () => {
      const rich = await anOwnerWith(LARGEST);
      const send = (type: string, amount: number): Promise<Reply> =>
        rich.api.post(PATH, aTransaction(rich.accountId, { type, amount }));
      expect(outcome(await send('credit', 1))).toBe('400 invalid_request');
      expect(outcome(await send('credit', LARGEST))).toBe('400 invalid_request');
      expect(outcome(await send('payment', 1))).toBe('400 invalid_request');
      expect(await posted(rich)).toBe(LARGEST);
      expect(outcome(await send('refund', 10))).toBe('201 succeeded');
      const pending = await send('payment', 10);
      expect(outcome(pending)).toBe('201 pending');
      expect(outcome(await send('credit', 1))).toBe('400 invalid_request');
      await rich.api.delete(`${PATH}/${pending.body.id}`);
      expect(outcome(await send('credit', 10))).toBe('201 succeeded');
      expect(outcome(await send('refund', LARGEST))).toBe('201 succeeded');
      expect(await posted(rich)).toBe(0);
    });
  });

  describe("The account's status", () => {
    /** What the owner's credentials and the back office may do on an account of this status. */
    it.each([
      ['suspended', { payment: '403 forbidden', credit: '403 forbidden', refund: '403 forbidden' }],
      ['pending', { payment: '201 pending', credit: '201 succeeded', refund: '403 forbidden' }],
    ])('%s: %j, for anyone', async (status, outcomes) => {
      const rich = await anOwnerWith(5000);
      await admin.api.patch(`/v1/accounts/${rich.accountId}`, { status });
      const again = await logIn(service.api, rich.email);
      for (const [type, expected] of Object.entries(outcomes)) {
        for (const { api } of [again, admin, platform]) {
          expect(outcome(await api.post(PATH, aTransaction(rich.accountId, { type, amount: 1 })))).toBe(
            expected,
          );
        }
      }
      expect((await again.api.get(PATH)).body.data.length).toBeGreaterThan(0);
    });

    it('closed: nothing but an admin paying out what was left', async () => {
      const rich = await anOwnerWith(5000);
      await rich.api.delete('/v1/account');
      for (const type of ['payment', 'credit', 'refund']) {
        expect(
          outcome(await platform.api.post(PATH, aTransaction(rich.accountId, { type, amount: 1 }))),
        ).toBe('403 forbidden');
      }
      for (const type of ['payment', 'credit']) {
        expect(outcome(await admin.api.post(PATH, aTransaction(rich.accountId, { type, amount: 1 })))).toBe(
          '403 forbidden',
        );
      }
      const payOut = (amount: number): Promise<Reply> =>
        admin.api.post(PATH, aTransaction(rich.accountId, { type: 'refund', amount }));
      expect(outcome(await payOut(5001))).toBe('402 insufficient_funds');
      expect(outcome(await payOut(5000))).toBe('201 succeeded');
      expect(await posted(rich)).toBe(0);
    });

    it('closing cancels what is pending', async () => {
      const closing = await anOwner(service.api);
      const { id } = await created(closing.api, PATH, aTransaction(closing.accountId));
      await closing.api.delete('/v1/account');
      const { body } = await admin.api.get(`${PATH}/${id}`);
      expect(body.status).toBe('canceled');
      expect(body.updated_at > body.created_at).toBe(true);
    });
  });

  describe('Whose it is', () => {
    it('an account that is unknown, malformed or foreign is not_found', async () => {
      for (const account_id of [
        NO_SUCH_ACCOUNT,
        'acc_1',
        '',
        'nonsense',
        "' OR 1=1 --",
        stranger.accountId,
      ]) {
        expect(outcome(await create({ account_id }))).toBe('404 not_found');
      }
      expect(outcome(await create({ account_id: NO_SUCH_ACCOUNT }, admin.api))).toBe('404 not_found');
      const homeless = await aUser(service.api);
      expect(outcome(await create({}, homeless.api))).toBe('404 not_found');
    });

    it('a transaction that is unknown, malformed or foreign is not_found, for every operation', async () => {
      const { id } = await created(stranger.api, PATH, aTransaction(stranger.accountId));
      for (const path of [
        id,
        NO_SUCH_TRANSACTION,
        'txn_1',
        'nonsense',
        NO_SUCH_ACCOUNT,
        "'%20OR%201=1",
        `${id}x`,
      ]) {
        expect(outcome(await owner.api.get(`${PATH}/${path}`))).toBe('404 not_found');
        expect(outcome(await owner.api.patch(`${PATH}/${path}`, { reference: 'mine' }))).toBe(
          '404 not_found',
        );
        expect(outcome(await owner.api.delete(`${PATH}/${path}`))).toBe('404 not_found');
      }
      expect((await stranger.api.get(`${PATH}/${id}`)).body).toMatchObject({
        status: 'pending',
        reference: null,
      });
    });

    it('members, admins and platform systems act for the account, too', async () => {
      const member = await aMember(service.api, owner);
      for (const { api } of [member, admin, platform]) {
        const { id } = await created(api, PATH, aTransaction(owner.accountId));
        expect((await api.get(`${PATH}/${id}`)).status).toBe(200);
        expect((await api.patch(`${PATH}/${id}`, { reference: 'seen' })).status).toBe(200);
        expect((await api.delete(`${PATH}/${id}`)).status).toBe(200);
      }
    });

    it('nobody does anything without a token', async () => {
      const { id } = (await create()).body;
      const replies = [
        await create({}, service.api),
        await service.api.get(PATH),
        await service.api.get(`${PATH}/${id}`),
        await service.api.patch(`${PATH}/${id}`, { amount: 1 }),
        await service.api.delete(`${PATH}/${id}`),
      ];
      expect(replies.map(outcome)).toEqual(replies.map(() => '401 unauthorized'));
    });
  });

  describe('GET /v1/transactions/{transaction_id}', () => {
    it('answers the full transaction', async () => {
      const made = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { reference: 'r', metadata: { a: 1 } }),
      );
      const { status, body } = await owner.api.get(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({ ...made, updated_at: made.created_at });
    });
  });

  describe('PATCH /v1/transactions/{transaction_id}', () => {
    const patched = async (before: object, change: object): Promise<Reply> => {
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId, before));
      return owner.api.patch(`${PATH}/${id}`, change);
    };

    it('answers the full transaction, with a later updated_at', async () => {
      const made = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { metadata: { a: 1, b: 2 } }),
      );
      const { status, body } = await owner.api.patch(`${PATH}/${made.id}`, {
        reference: 'new',
        metadata: { b: null, c: 3 },
      });
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        ...made,
        reference: 'new',
        metadata: { a: 1, c: 3 },
        updated_at: expect.stringMatching(ISO_MS),
      });
      expect(body.updated_at > made.created_at).toBe(true);
      expect((await owner.api.get(`${PATH}/${made.id}`)).body).toStrictEqual(body);
    });

    it('with {} is 200 and changes nothing, updated_at included', async () => {
      const made = await created(owner.api, PATH, aTransaction(owner.accountId, { reference: 'r' }));
      const { status, body } = await owner.api.patch(`${PATH}/${made.id}`, {});
      expect(status).toBe(200);
      expect(body).toStrictEqual({ ...made, updated_at: made.created_at });
    });

    it('clears the reference with null, and leaves it when it is not named', async () => {
      expect((await patched({ reference: 'r' }, { reference: null })).body.reference).toBeNull();
      expect((await patched({ reference: 'r' }, { metadata: { a: 1 } })).body.reference).toBe('r');
    });

    it.each([
      [{ a: 1, b: 2 }, { a: 3 }, { a: 3, b: 2 }],
      [{ a: 1, b: 2 }, { a: null }, { b: 2 }],
      [{ a: { x: 1 } }, { a: { y: 2 } }, { a: { y: 2 } }],
      [{ a: null }, { b: { c: null } }, { a: null, b: { c: null } }],
      [{ a: 1 }, {}, { a: 1 }],
      [{ a: 1 }, { z: null }, { a: 1 }],
      [{ a: 1 }, null, {}],
      [
        { constructor: 1, toString: 'x' },
        { constructor: null, valueOf: 2 },
        { toString: 'x', valueOf: 2 },
      ],
    ])('merges metadata: %j and %j is %j', async (present, change, merged) => {
      expect((await patched({ metadata: present }, { metadata: change })).body.metadata).toEqual(merged);
    });

    it('holds the limits of metadata after the merge, and then changes nothing', async () => {
      const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
      const made = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { metadata: fifty, reference: 'before' }),
      );
      const refused = await owner.api.patch(`${PATH}/${made.id}`, {
        reference: 'after',
        metadata: { one: 1 },
      });
      expect(outcome(refused)).toBe('400 invalid_request');
      expect((await owner.api.get(`${PATH}/${made.id}`)).body).toStrictEqual({
        ...made,
        updated_at: made.created_at,
      });
      expect((await owner.api.patch(`${PATH}/${made.id}`, { metadata: { one: 1, k0: null } })).status).toBe(
        200,
      );
      const heavy = await patched(
        { metadata: { note: 'x'.repeat(5000) } },
        { metadata: { more: 'x'.repeat(5000) } },
      );
      expect(outcome(heavy)).toBe('400 invalid_request');
    });

    it.each<object>([
      { reference: 1 },
      { reference: 'x'.repeat(256) },
      { metadata: [] },
      { metadata: 'a' },
      { metadata: { '': 1 } },
      { status: 'succeeded' },
      { account_id: 'acc_1' },
      { id: 'txn_1' },
      { created_at: null },
      { unknown: 1 },
    ])('with %j is refused', async (change) => {
      expect(outcome(await patched({}, change))).toBe('400 invalid_request');
    });

    it.each<unknown>([null, [], 'text', 1])('with the body %j is refused', async (body) => {
      expect(outcome(await patched({}, body as object))).toBe('400 invalid_request');
    });

    describe.each(['amount', 'currency', 'type'])('with %s', (member) => {
      const same: Record<string, unknown> = { amount: 1250, currency: 'USD', type: 'payment' };

      it('is a conflict, whatever its value, before any other fault', async () => {
        for (const value of [same[member], null, 0, 'x', {}, [], false]) {
          expect(outcome(await patched({}, { [member]: value }))).toBe('409 conflict');
          expect(
            outcome(await patched({}, { reference: 7, unknown: true, metadata: [], [member]: value })),
          ).toBe('409 conflict');
        }
      });

      it('is a conflict also where there is no such transaction', async () => {
        expect(outcome(await owner.api.patch(`${PATH}/${NO_SUCH_TRANSACTION}`, { [member]: 1 }))).toBe(
          '409 conflict',
        );
      });

      it('changes nothing', async () => {
        const made = await created(owner.api, PATH, aTransaction(owner.accountId));
        await owner.api.patch(`${PATH}/${made.id}`, { reference: 'r', [member]: same[member] });
        expect((await owner.api.get(`${PATH}/${made.id}`)).body).toStrictEqual({
          ...made,
          updated_at: made.created_at,
        });
      });
    });

    it('annotates also what has ended', async () => {
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId));
      await owner.api.delete(`${PATH}/${id}`);
      const { body } = await owner.api.patch(`${PATH}/${id}`, { reference: 'why' });
      expect(body).toMatchObject({ status: 'canceled', reference: 'why' });
    });

    it('never takes updated_at back, also when the clock steps back', async () => {
      const made = await created(owner.api, PATH, aTransaction(owner.accountId));
      const times = [made.created_at];
      for (const minutes of [-60, 30, -45, 75]) {
        service.clock.move({ minutes });
        times.push(
          (await owner.api.patch(`${PATH}/${made.id}`, { reference: `${minutes}` })).body.updated_at,
        );
      }
      expect(times.toSorted()).toEqual(times);
      expect(new Set(times).size).toBe(times.length);
    });
  });

  describe('DELETE /v1/transactions/{transaction_id}', () => {
    it('cancels a pending one, once; it stays visible', async () => {
      const made = await created(owner.api, PATH, aTransaction(owner.accountId));
      const { status, body } = await owner.api.delete(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({
        id: made.id,
        status: 'canceled',
        canceled_at: expect.stringMatching(ISO_MS),
        message: expect.any(String),
      });
      expect((await owner.api.get(`${PATH}/${made.id}`)).body).toStrictEqual({
        ...made,
        status: 'canceled',
        updated_at: body.canceled_at,
      });
      expect(outcome(await owner.api.delete(`${PATH}/${made.id}`))).toBe('409 not_cancellable');
      expect((await owner.api.get(`${PATH}?status=canceled&limit=1`)).body.data).toHaveLength(1);
    });

    it.each(['credit', 'refund'])('does not cancel a %s that succeeded', async (type) => {
      const rich = await anOwnerWith(5000);
      const made = await created(rich.api, PATH, aTransaction(rich.accountId, { type }));
      const before = await posted(rich);
      expect(outcome(await rich.api.delete(`${PATH}/${made.id}`))).toBe('409 not_cancellable');
      expect((await rich.api.get(`${PATH}/${made.id}`)).body).toStrictEqual({
        ...made,
        updated_at: made.created_at,
      });
      expect(await posted(rich)).toBe(before);
    });

    it('takes an empty body, also with a JSON content type', async () => {
      for (const headers of <Record<string, string>[]>[
        {},
        { 'content-type': 'application/json' },
        { 'content-type': 'application/json; charset=utf-8' },
      ]) {
        const { id } = await created(owner.api, PATH, aTransaction(owner.accountId));
        expect((await owner.api.delete(`${PATH}/${id}`, undefined, { headers })).status).toBe(200);
      }
    });
  });
}
