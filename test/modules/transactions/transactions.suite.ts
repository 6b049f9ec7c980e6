import fc from 'fast-check';
import { ISO_MS, outcome, startWithCast, unknownId } from '../../support/account-owned';
import { Api, Reply } from '../../support/api';
import { aTransaction } from '../../support/request-bodies';
import { anOwner, created, logIn, Owner, Person } from '../../support/people';
import { SEED } from '../../support/rounds';
import { TestService } from '../../support/service';
import { aPaymentLink, submitOutcome } from '../../support/payment-page';

const LARGEST = 9_007_199_254_740_991;
const PATH = '/v1/transactions';
const pending = { metadata: { sandbox_outcome: 'pending' } };

/** Tests interface 4.4 against the service that `start` starts. */
export function transactionsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    ({ service, owner, admin, platform } = await startWithCast(start));
  });
  afterAll(() => service.stop());

  const create = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
    api.post(PATH, aTransaction(owner.accountId, members));
  /** An owner whose account has this balance. */
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
    it('creates a transaction, without updated_at in the response, and with defaults for optional members', async () => {
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

    it('returns reference and metadata as sent', async () => {
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
    ])('creates a %s as %s', async (type, status) => {
      const rich = await anOwnerWith(5000);
      const { body } = await rich.api.post(PATH, aTransaction(rich.accountId, { type }));
      expect(body).toMatchObject({ type, status });
    });

    it('posts credits and refunds immediately, but no pending payments', async () => {
      const rich = await anOwnerWith(5000);
      await created(rich.api, PATH, aTransaction(rich.accountId, { type: 'refund', amount: 1200 }));
      await created(rich.api, PATH, aTransaction(rich.accountId, { type: 'payment', amount: 700 }));
      expect(await posted(rich)).toBe(3800);
      expect(
        await service.sql('SELECT held, pending_in FROM accounts WHERE id = $1', [rich.accountId]),
      ).toEqual([{ held: '0', pending_in: '700' }]);
    });

    it.each(['Payment', 'transfer', '', ['payment'], 1, 'constructor'])(
      'rejects the type %j',
      async (type) => {
        expect(outcome(await create({ type }))).toBe('400 invalid_request');
      },
    );

    it('accepts the longest reference and the largest metadata', async () => {
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

    it(`returns random metadata as sent (seed ${SEED})`, async () => {
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
    ])('%s is stored unchanged', async (literal, amount) => {
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
    ])('%s is rejected', async (literal) => {
      expect(outcome(await send(literal, owner.api, owner.accountId))).toBe('400 invalid_request');
    });

    it.each(['01', '+1', '1.', '.5', '0x10', 'NaN', 'Infinity', '1_000', '1n', ''])(
      '%s is invalid JSON',
      async (literal) => {
        expect(outcome(await send(literal, owner.api, owner.accountId))).toBe('400 invalid_request');
      },
    );
  });

  describe('The currency', () => {
    it('must be the currency of the account', async () => {
      const european = await anOwner(service.api, { currency: 'EUR' });
      const send = (currency: string): Promise<Reply> =>
        european.api.post(PATH, aTransaction(european.accountId, { currency }));
      expect(outcome(await send('USD'))).toBe('400 currency_mismatch');
      expect(outcome(await send('EUR'))).toBe('201 pending');
      expect(outcome(await create({ currency: 'EUR' }))).toBe('400 currency_mismatch');
    });
  });

  describe('A refund', () => {
    it('above the available balance is rejected with 402 and the required, available and held amounts', async () => {
      const rich = await anOwnerWith(1000);
      const refund = (amount: number): Promise<Reply> =>
        rich.api.post(PATH, aTransaction(rich.accountId, { type: 'refund', amount }));
      const rejected = await refund(1001);
      expect(outcome(rejected)).toBe('402 insufficient_funds');
      expect(rejected.body.message).toMatch(/required 1001\b.*available 1000\b.*held 0\b/);
      expect(outcome(await refund(1000))).toBe('201 succeeded');
      expect((await refund(1)).body.message).toMatch(/required 1\b.*available 0\b.*held 0\b/);
      expect(await posted(rich)).toBe(0);
    });

    it('cannot use pending payments', async () => {
      const poor = await anOwner(service.api);
      await created(poor.api, PATH, aTransaction(poor.accountId, { amount: 5000 }));
      expect(
        outcome(await poor.api.post(PATH, aTransaction(poor.accountId, { type: 'refund', amount: 1 }))),
      ).toBe('402 insufficient_funds');
    });

    it('leaves no row when it is rejected', async () => {
      const poor = await anOwner(service.api);
      await poor.api.post(PATH, aTransaction(poor.accountId, { type: 'refund', amount: 1 }));
      expect((await poor.api.get(PATH)).body.data).toEqual([]);
      expect(await posted(poor)).toBe(0);
    });
  });

  describe('The range of a balance', () => {
    it('ends at 2^53 - 1 for posted and pending amounts together', async () => {
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
    /** By status of the account: the outcomes for its owner and for operators. */
    it.each([
      ['suspended', { payment: '403 forbidden', credit: '403 forbidden', refund: '403 forbidden' }],
      ['pending', { payment: '201 pending', credit: '201 succeeded', refund: '403 forbidden' }],
    ])('%s: %j for every caller', async (status, outcomes) => {
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

    it('closed: only an admin can refund the remaining balance', async () => {
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

    it('closed: pending transactions are canceled', async () => {
      const closing = await anOwner(service.api);
      const { id } = await created(closing.api, PATH, aTransaction(closing.accountId));
      await closing.api.delete('/v1/account');
      const { body } = await admin.api.get(`${PATH}/${id}`);
      expect(body.status).toBe('canceled');
      expect(body.updated_at > body.created_at).toBe(true);
    });
  });

  describe('GET /v1/transactions/{transaction_id}', () => {
    it('returns the full transaction', async () => {
      const made = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { reference: 'r', metadata: { a: 1 } }),
      );
      const { status, body } = await owner.api.get(`${PATH}/${made.id}`);
      expect(status).toBe(200);
      expect(body).toStrictEqual({ ...made, updated_at: made.created_at });
    });

    it('returns failure_reason only where a reason was reported', async () => {
      const [failed, unexplained] = [(await create(pending)).body, (await create(pending)).body];
      const failure_reason = 'The bank rejected the transfer.';
      const settle = (id: string, body: object) => admin.api.post(`${PATH}/${id}/settlement`, body);
      const reply = await settle(failed.id, { outcome: 'failed', failure_reason });
      expect(reply.body).toMatchObject({ status: 'failed', failure_reason });
      await settle(unexplained.id, { outcome: 'failed' });
      expect((await owner.api.get(`${PATH}/${failed.id}`)).body).toMatchObject({ failure_reason });
      expect((await owner.api.get(`${PATH}/${unexplained.id}`)).body).not.toHaveProperty('failure_reason');
      const listed = (await owner.api.get(`${PATH}?view=full&limit=2`)).body.data;
      expect(listed.map((item: { failure_reason?: string }) => item.failure_reason)).toEqual([
        undefined,
        failure_reason,
      ]);
    });

    it('names the payment request that a payment paid', async () => {
      const payer = await anOwner(service.api);
      const request = await aPaymentLink(service, payer);
      await submitOutcome(request.url, 'succeeded');
      const { body: list } = await payer.api.get(PATH);
      const { body } = await payer.api.get(`${PATH}/${list.data[0].id}`);
      expect(body).toMatchObject({ type: 'payment', status: 'succeeded', payment_request_id: request.id });
      await created(payer.api, PATH, aTransaction(payer.accountId, { type: 'credit' }));
      const found = async (query: string, { api }: Pick<Owner, 'api'> = payer): Promise<string[]> =>
        (await api.get(`${PATH}?payment_request_id=${request.id}${query}`)).body.data.map(
          (item: { id: string }) => item.id,
        );
      expect(await found('&status=succeeded&type=payment&amount_min=1')).toEqual([body.id]);
      expect(await found('')).toEqual([body.id]);
      expect(await found('&type=credit')).toEqual([]);
      expect(await found('', owner)).toEqual([]);
    });
  });

  describe('PATCH /v1/transactions/{transaction_id}', () => {
    const patched = async (before: object, change: object): Promise<Reply> => {
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId, before));
      return owner.api.patch(`${PATH}/${id}`, change);
    };

    it('returns the full transaction with a later updated_at', async () => {
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

    it('changes nothing for {}, not even updated_at', async () => {
      const made = await created(owner.api, PATH, aTransaction(owner.accountId, { reference: 'r' }));
      const { status, body } = await owner.api.patch(`${PATH}/${made.id}`, {});
      expect(status).toBe(200);
      expect(body).toStrictEqual({ ...made, updated_at: made.created_at });
    });

    it('clears the reference with null, and keeps it when it is absent', async () => {
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
    ])('merges the metadata %j with %j to %j', async (present, change, merged) => {
      expect((await patched({ metadata: present }, { metadata: change })).body.metadata).toEqual(merged);
    });

    it('rejects merged metadata beyond the limits, and changes nothing', async () => {
      const fifty = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`k${index}`, index]));
      const made = await created(
        owner.api,
        PATH,
        aTransaction(owner.accountId, { metadata: fifty, reference: 'before' }),
      );
      const rejected = await owner.api.patch(`${PATH}/${made.id}`, {
        reference: 'after',
        metadata: { one: 1 },
      });
      expect(outcome(rejected)).toBe('400 invalid_request');
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
    ])('rejects %j', async (change) => {
      expect(outcome(await patched({}, change))).toBe('400 invalid_request');
    });

    it.each<unknown>([null, [], 'text', 1])('rejects the body %j', async (body) => {
      expect(outcome(await patched({}, body as object))).toBe('400 invalid_request');
    });

    describe.each(['amount', 'currency', 'type'])('with %s', (member) => {
      const same: Record<string, unknown> = { amount: 1250, currency: 'USD', type: 'payment' };

      it('responds conflict for any value, before any other error', async () => {
        for (const value of [same[member], null, 0, 'x', {}, [], false]) {
          expect(outcome(await patched({}, { [member]: value }))).toBe('409 conflict');
          expect(
            outcome(await patched({}, { reference: 7, unknown: true, metadata: [], [member]: value })),
          ).toBe('409 conflict');
        }
      });

      it('responds invalid_request if the body cannot be read as it was sent', async () => {
        const { id } = await created(owner.api, PATH, aTransaction(owner.accountId));
        for (const body of [
          `{"${member}":9007199254740993}`,
          `{"${member}":1e400}`,
          `{"${member}":5,"${member}":5}`,
          `{"${member}":"refund","reference":"\\u0000"}`,
          `{"${member}":[[[[[[[[1]]]]]]]]}`,
        ])
          expect(outcome(await owner.api.call('PATCH', `${PATH}/${id}`, body))).toBe('400 invalid_request');
      });

      it('responds conflict also for an unknown transaction', async () => {
        expect(outcome(await owner.api.patch(`${PATH}/${unknownId('txn')}`, { [member]: 1 }))).toBe(
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

    it('annotates transactions that have ended', async () => {
      const { id } = await created(owner.api, PATH, aTransaction(owner.accountId));
      await owner.api.delete(`${PATH}/${id}`);
      const { body } = await owner.api.patch(`${PATH}/${id}`, { reference: 'why' });
      expect(body).toMatchObject({ status: 'canceled', reference: 'why' });
    });

    it('never decreases updated_at, also when the clock steps back', async () => {
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

    it('accepts an empty body, also with a JSON content type', async () => {
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
