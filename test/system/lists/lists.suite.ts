import { DAY_MS } from '../../../src/kernel/clock';
import { IdPrefix, newId } from '../../../src/kernel/ids';
import { Creators, cursorLists, ownedResources, startWithCast, unknownId } from '../../support/account-owned';
import { Api, Reply } from '../../support/api';
import { aMember, anOwner, aUser, created, Owner, Person } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { TestService } from '../../support/service';

type Query = Record<string, string | number>;

const parameters = (query: Query): string =>
  new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`]),
  ).toString();

/** Tests interface 4.4, 4.5 and 8 against the service that `start` starts. */
export function listsSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    ({ service, admin, platform } = await startWithCast(start));
  });
  afterAll(() => service.stop());

  const EMPTY = { object: 'list', data: [], has_more: false };
  const ids = ({ body }: Reply): string[] => body.data.map((item: { id: string }) => item.id);
  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? body.object}`;

  describe.each(cursorLists)('GET $path', (list) => {
    const { path, table, prefix, initialStatus, otherStatuses, endStatus, forOperators, variants } = list;
    const creators = (owner: Owner): Creators => ({ owner, operator: admin });
    const make = (owner: Owner, members?: object): Promise<any> =>
      list.create(creators(owner), undefined, members);
    const end = (owner: Owner, id: string): Promise<Reply> => list.end(creators(owner), id);
    const read = (api: Api, query: Query = {}): Promise<Reply> => api.get(`${path}?${parameters(query)}`);
    /** Reads the items of the owner's account as somebody who may. */
    const get = (owner: Owner, query: Query = {}): Promise<Reply> =>
      forOperators ? read(admin.api, { account_id: owner.accountId, ...query }) : read(owner.api, query);

    /** Creates an owner with `count` items. @returns the ids newest first */
    async function anOwnerWith(count: number): Promise<Owner & { ids: string[] }> {
      const owner = await anOwner(service.api);
      const made: string[] = [];
      for (let index = 0; index < count; index += 1) made.unshift((await make(owner)).id);
      return { ...owner, ids: made };
    }

    it('returns object, data and has_more, newest first', async () => {
      const owner = await anOwnerWith(3);
      const { status, body: page } = await get(owner);
      expect(status).toBe(200);
      expect(Object.keys(page).toSorted()).toEqual(['data', 'has_more', 'object']);
      expect(page).toMatchObject({ object: 'list', has_more: false });
      expect(page.data.map(({ id }: { id: string }) => id)).toEqual(owner.ids);
      expect((await get(await anOwner(service.api))).body).toEqual({
        object: 'list',
        data: [],
        has_more: false,
      });
    });

    it('returns items of exactly the documented shape', async () => {
      const owner = await anOwner(service.api);
      const made = await make(owner, { reference: 'r', metadata: { a: 1 } });
      const reduced = ['id', 'account_id', 'amount', 'currency', 'type', 'status', 'created_at'];
      const shape = prefix === 'txn' ? Object.fromEntries(reduced.map((name) => [name, made[name]])) : made;
      expect((await get(owner)).body.data).toStrictEqual([shape]);
    });

    it('returns pages of 20 items by default, and of 1 to 100 with limit', async () => {
      const owner = await anOwnerWith(21);
      expect(ids(await get(owner))).toEqual(owner.ids.slice(0, 20));
      expect((await get(owner)).body.has_more).toBe(true);
      expect(ids(await get(owner, { limit: 1 }))).toEqual(owner.ids.slice(0, 1));
      expect((await get(owner, { limit: 20 })).body.has_more).toBe(true);
      expect((await get(owner, { limit: 21 })).body.has_more).toBe(false);
      expect((await get(owner, { limit: 100 })).body).toMatchObject({
        has_more: false,
        data: { length: 21 },
      });
    });

    it.each([
      '0',
      '-1',
      '101',
      '1000000',
      '1.5',
      '1e1',
      'ten',
      '',
      ' 5',
      '05',
      '+5',
      '0x5',
      'null',
      '9'.repeat(400),
    ])('rejects limit=%.10s', async (limit) => {
      const owner = await anOwner(service.api);
      expect(outcome(await get(owner, { limit }))).toBe('400 invalid_request');
    });

    describe('Cursors', () => {
      let owner: Owner & { ids: string[] };
      beforeAll(async () => {
        owner = await anOwnerWith(7);
      });

      it.each([1, 2, 3, 6, 7, 100])(
        'lead forwards and back through all, %d at a time, with has_more exact',
        async (limit) => {
          const forwards: string[] = [];
          for (
            let page = await get(owner, { limit });
            ;
            page = await get(owner, { limit, starting_after: forwards.at(-1)! })
          ) {
            forwards.push(...ids(page));
            expect(page.body.has_more).toBe(forwards.length < 7);
            if (!page.body.has_more) break;
          }
          expect(forwards).toEqual(owner.ids);
          const back = [owner.ids.at(-1)!];
          for (let more = true; more;) {
            const page = await get(owner, { limit, ending_before: back[0]! });
            back.unshift(...ids(page));
            more = page.body.has_more;
            expect(more).toBe(back.length < 7);
          }
          expect(back).toEqual(owner.ids);
        },
      );

      it('return the older items after any item, and the nearest newer items before it', async () => {
        for (const [position, id] of owner.ids.entries()) {
          const older = await get(owner, { limit: 2, starting_after: id });
          expect(ids(older)).toEqual(owner.ids.slice(position + 1, position + 3));
          expect(older.body.has_more).toBe(7 - position - 1 > 2);
          const newer = await get(owner, { limit: 2, ending_before: id });
          expect(ids(newer)).toEqual(owner.ids.slice(Math.max(0, position - 2), position));
          expect(newer.body.has_more).toBe(position > 2);
        }
      });

      it('may be places where the list has no item', async () => {
        const timed = (ms: number): string => newId(prefix as IdPrefix, new Date(ms));
        for (const reader of [
          (query: Query) => get(owner, query),
          (query: Query) => read(admin.api, query),
        ]) {
          const query = { account_id: owner.accountId, limit: 100 };
          const [future, past] = [timed(Date.now() + 365 * DAY_MS), timed(0)];
          expect(ids(await reader({ ...query, starting_after: future }))).toEqual(owner.ids);
          expect(ids(await reader({ ...query, starting_after: past }))).toEqual([]);
          expect(ids(await reader({ ...query, ending_before: past }))).toEqual(owner.ids);
          expect(ids(await reader({ ...query, ending_before: future }))).toEqual([]);
        }
      });

      it('are rejected when they are malformed or from another list', async () => {
        const another = cursorLists.find((one) => one.path !== path)!;
        const { id: ofAnotherList } = await another.create(creators(owner));
        for (const cursor of [
          ofAnotherList,
          '',
          'x',
          `${prefix}_1`,
          owner.accountId,
          `${owner.ids[0]} `,
          "' OR 1=1 --",
          '%',
        ]) {
          expect(outcome(await get(owner, { starting_after: cursor }))).toBe('400 invalid_request');
          expect(outcome(await get(owner, { ending_before: cursor }))).toBe('400 invalid_request');
          expect(outcome(await read(admin.api, { starting_after: cursor }))).toBe('400 invalid_request');
        }
      });

      it('are rejected both at once', async () => {
        const [newest, oldest] = [owner.ids[0]!, owner.ids.at(-1)!];
        expect(outcome(await get(owner, { starting_after: newest, ending_before: oldest }))).toBe(
          '400 invalid_request',
        );
        expect(outcome(await get(owner, { starting_after: newest, ending_before: newest }))).toBe(
          '400 invalid_request',
        );
      });

      it('keep their position when the item no longer matches the filter', async () => {
        const walker = await anOwnerWith(4);
        const first = await get(walker, { status: initialStatus, limit: 2 });
        await end(walker, walker.ids[1]!);
        const second = await get(walker, {
          status: initialStatus,
          limit: 2,
          starting_after: ids(first).at(-1)!,
        });
        expect([...ids(first), ...ids(second)]).toEqual(walker.ids);
      });
    });

    describe('Filters', () => {
      it('narrow by status', async () => {
        const owner = await anOwnerWith(4);
        await end(owner, owner.ids[2]!);
        expect(ids(await get(owner, { status: endStatus }))).toEqual([owner.ids[2]]);
        expect(ids(await get(owner, { status: initialStatus }))).toEqual([
          owner.ids[0],
          owner.ids[1],
          owner.ids[3],
        ]);
        for (const status of otherStatuses) expect(ids(await get(owner, { status }))).toEqual([]);
        const page = await get(owner, { status: initialStatus, limit: 2 });
        expect(page.body.has_more).toBe(true);
        expect(
          (await get(owner, { status: initialStatus, limit: 2, starting_after: owner.ids[1]! })).body,
        ).toMatchObject({ has_more: false, data: [{ id: owner.ids[3] }] });
      });

      it('narrow by account, and show operators any account', async () => {
        const [owner, stranger] = [await anOwnerWith(2), await anOwnerWith(2)];
        for (const { api } of [admin, platform]) {
          expect(ids(await read(api, { account_id: owner.accountId }))).toEqual(owner.ids);
          expect(ids(await read(api, { account_id: stranger.accountId }))).toEqual(stranger.ids);
          for (const account_id of [unknownId('acc'), 'nonsense', ''])
            expect((await read(api, { account_id })).body).toEqual(EMPTY);
          expect(ids(await read(api, { limit: 4 }))).toEqual([...stranger.ids, ...owner.ids]);
          expect(ids(await read(api, { limit: 2, starting_after: stranger.ids[1]! }))).toEqual(owner.ids);
        }
      });

      it('can be combined with each other and with cursors', async () => {
        const owner = await anOwner(service.api);
        const made: { id: string; created_at: string }[] = [];
        for (let index = 0; index < 12; index += 1)
          made.unshift(await list.create(creators(owner), index % 2 ? 1 : 0));
        for (const index of [1, 4, 7]) await end(owner, made[index]!.id);
        const odd = made.filter((_, index) => index % 2 === 0 && ![4].includes(index)).map(({ id }) => id);
        const query = { status: initialStatus, ...variants[1], account_id: owner.accountId };
        expect(ids(await get(owner, query))).toEqual(odd);
        const bounds = { date_from: made[10]!.created_at, date_to: made[2]!.created_at };
        expect(ids(await get(owner, { ...query, ...bounds }))).toEqual(odd.slice(1));
        const page = await get(owner, { ...query, ...bounds, limit: 2, starting_after: made[1]!.id });
        expect(ids(page)).toEqual(odd.slice(1, 3));
        expect(page.body.has_more).toBe(true);
        const back = await get(owner, { ...query, ...bounds, limit: 2, ending_before: made[9]!.id });
        expect(ids(back)).toEqual(odd.slice(2, 4));
        expect(back.body.has_more).toBe(true);
      });

      it.each([
        'status=open',
        'status=',
        'status=Pending',
        'status=pending,canceled',
        'status[]=pending',
        'unknown=1',
        'reason=x',
        'page=1',
        'offset=0',
        'Limit=5',
        'sort=asc',
        'limit=5&limit=5',
        'status=pending&status=pending',
        'reference=a&reference=b',
        'account_id=a&account_id=a',
        'date_from=2026-01-01&date_from=2026-01-01',
        '__proto__=1',
        'constructor=1',
        'toString=',
        '=',
        'reference=' + 'x'.repeat(256),
        '%73tatus=open',
      ])('reject ?%.60s', async (query) => {
        const { api } = forOperators ? admin : await anOwner(service.api);
        expect(outcome(await api.get(`${path}?${query}`))).toBe('400 invalid_request');
      });
    });

    describe('Dates', () => {
      const times = [
        '2026-01-30T23:59:59.999Z',
        '2026-01-31T00:00:00.000Z',
        '2026-01-31T12:00:00.000Z',
        '2026-01-31T23:59:59.999Z',
        '2026-02-01T00:00:00.000Z',
      ];
      let owner: Owner & { ids: string[] };

      beforeAll(async () => {
        owner = await anOwnerWith(times.length);
        for (const [index, id] of owner.ids.toReversed().entries()) {
          const time = new Date(times[index]!);
          await service.sql(`UPDATE ${table} SET created_at = $1, id = $2 WHERE id = $3`, [
            time,
            newId(prefix as IdPrefix, time),
            id,
          ]);
        }
      });

      it('of new items are those that their ids start with', async () => {
        const { id, created_at } = await make(await anOwner(service.api));
        expect(id.slice(0, 14)).toBe(newId(prefix as IdPrefix, new Date(created_at)).slice(0, 14));
      });

      const found = async (query: Record<string, string>): Promise<string[]> =>
        (await get(owner, query)).body.data
          .map(({ created_at }: { created_at: string }) => created_at)
          .toReversed();

      it.each([
        [{ date_from: '2026-01-31' }, 1, 5],
        [{ date_to: '2026-01-31' }, 0, 4],
        [{ date_from: '2026-01-31', date_to: '2026-01-31' }, 1, 4],
        [{ date_from: '2026-01-30', date_to: '2026-02-01' }, 0, 5],
        [{ date_from: '2026-02-02' }, 5, 5],
        [{ date_to: '2026-01-29' }, 0, 0],
        [{ date_from: '2026-02-01', date_to: '2026-01-30' }, 0, 0],
        [{ date_from: '2026-01-31T00:00:00.000Z' }, 1, 5],
        [{ date_from: '2026-01-31T00:00:00.001Z' }, 2, 5],
        [{ date_to: '2026-01-31T23:59:59.999Z' }, 0, 4],
        [{ date_to: '2026-01-31T23:59:59.998Z' }, 0, 3],
        [{ date_from: '2026-01-31T12:00:00Z', date_to: '2026-01-31T12:00:00Z' }, 2, 3],
        [{ date_from: '2026-01-31T12:00Z' }, 2, 5],
        [{ date_from: '2026-01-31T14:00:00+02:00' }, 2, 5],
        [{ date_from: '2026-01-31T14:00:00.001+02:00' }, 3, 5],
        [{ date_from: '2026-01-31T12:00:00.000001Z' }, 3, 5],
        [{ date_from: '2026-01-31T14:00:00.0000001+02:00' }, 3, 5],
        [{ date_from: '2026-01-31T11:59:59.999900Z', date_to: '2026-01-31T12:00:00.000900Z' }, 2, 3],
        [{ date_to: '2026-01-31T11:59:59.999999Z' }, 0, 2],
        [{ date_from: '9999-12-31T23:59:59.999999Z' }, 5, 5],
        [{ date_to: '2026-01-31T07:00:00-05:00' }, 0, 3],
        [{ date_to: '2026-01-31T17:30:00+0530' }, 0, 3],
        [{ date_to: '2026-01-31T12:00:00,000Z' }, 0, 3],
        [{ date_from: '0001-01-01', date_to: '9999-12-31' }, 0, 5],
        [{ date_from: '0000-01-01T00:00:00+14:00' }, 0, 5],
      ])('%j', async (query, from, to) => {
        expect(await found(query)).toEqual(times.slice(from, to));
      });

      it.each([
        'yesterday',
        '',
        '2026',
        '2026-01',
        '2026-1-31',
        '2026-02-30',
        '2026-13-01',
        '2025-02-29',
        '20260131',
        '31-01-2026',
        '2026-01-31T',
        '2026-01-31T25:00:00Z',
        '2026-01-31T12:60:00Z',
        '2026-01-31 12:00:00Z',
        '2026-01-31T12:00:00',
        '2026-01-31T12:00:00+99:00',
        '1769860800',
        '1769860800000',
        '2026-W05-6',
        '+002026-01-31',
        '-2026-01-31',
        '2026-01-31Z',
        '２０２６-01-31',
        '2026-01-31T12:00:00Z; DROP TABLE users',
        'NaN',
        'Infinity',
        'now',
        'infinity',
      ])('rejects %p', async (date) => {
        expect(outcome(await get(owner, { date_from: date }))).toBe('400 invalid_request');
        expect(outcome(await get(owner, { date_to: date }))).toBe('400 invalid_request');
      });
    });
  });

  describe('GET /v1/transactions', () => {
    it('narrows by type', async () => {
      const owner = await anOwner(service.api);
      const made: Record<string, string> = {};
      for (const type of ['credit', 'payment', 'refund'])
        made[type] = (
          await created(owner.api, '/v1/transactions', aTransaction(owner.accountId, { type }))
        ).id;
      for (const type of ['credit', 'payment', 'refund']) {
        expect(ids(await owner.api.get(`/v1/transactions?type=${type}`))).toEqual([made[type]]);
      }
      expect(ids(await owner.api.get('/v1/transactions?type=credit&status=pending'))).toEqual([]);
      for (const type of ['', 'debit', 'Payment'])
        expect(outcome(await owner.api.get(`/v1/transactions?type=${type}`))).toBe('400 invalid_request');
    });
  });

  describe.each(ownedResources)('GET $path, which owners may read', (resource) => {
    const { path, body, initialStatus } = resource;
    const get = (api: Api, query: Query = {}): Promise<Reply> => api.get(`${path}?${parameters(query)}`);
    const make = ({ api, accountId }: Owner, members?: object): Promise<any> =>
      created(api, path, body(accountId, members));

    it('shows owners and members their own account only', async () => {
      const [owner, stranger] = [await anOwner(service.api), await anOwner(service.api)];
      const { id } = await make(owner);
      await make(stranger);
      const member = await aMember(service.api, owner);
      for (const { api } of [owner, member]) {
        expect(ids(await get(api))).toEqual([id]);
        expect(ids(await get(api, { account_id: owner.accountId }))).toEqual([id]);
        for (const account_id of [stranger.accountId, unknownId('acc'), 'nonsense', ''])
          expect((await get(api, { account_id })).body).toEqual(EMPTY);
      }
    });

    it('takes cursors of another account as places, and shows nothing of it', async () => {
      const [owner, stranger] = [await anOwner(service.api), await anOwner(service.api)];
      const older = await make(owner);
      const { id } = await make(stranger);
      await make(stranger);
      const newer = await make(owner);
      const around = async ({ api }: { api: Api }): Promise<string[][]> => [
        ids(await get(api, { starting_after: id })),
        ids(await get(api, { ending_before: id })),
      ];
      expect(await around(owner)).toEqual([[older.id], [newer.id]]);
      expect(await around(await aUser(service.api))).toEqual([[], []]);
    });

    it('returns an empty list for a user without an account', async () => {
      const { api } = await aUser(service.api);
      expect((await get(api)).body).toEqual(EMPTY);
      expect((await get(api, { status: initialStatus, limit: 5 })).body).toEqual(EMPTY);
    });

    it('narrows by reference, exactly', async () => {
      const owner = await anOwner(service.api);
      const references = [
        'invoice-1',
        'invoice-10',
        'INVOICE-1',
        'invoice_1',
        '%',
        '',
        "it's",
        'naïve & co',
        '\u{1f4b6}',
      ];
      for (const reference of references) {
        const { id } = await make(owner, { reference });
        expect(ids(await get(owner.api, { reference }))).toEqual([id]);
      }
      await make(owner);
      expect(ids(await get(owner.api, { reference: 'none' }))).toEqual([]);
    });
  });

  describe.each(ownedResources.filter(({ hasCustomer }) => hasCustomer))('GET $path', ({ path, body }) => {
    it('narrows by the email of the customer, ignoring case', async () => {
      const owner = await anOwner(service.api);
      const send = (customer_email: string): Promise<any> =>
        created(owner.api, path, body(owner.accountId, { customer_email }));
      const { id } = await send('Ada.Lovelace@Example.com');
      await send('a_a.lovelace@example.com');
      const find = async (email: string): Promise<string[]> =>
        ids(await owner.api.get(`${path}?customer_email=${encodeURIComponent(email)}`));
      for (const email of [
        'Ada.Lovelace@Example.com',
        'ada.lovelace@example.com',
        'ADA.LOVELACE@EXAMPLE.COM',
      ])
        expect(await find(email)).toEqual([id]);
      for (const email of ['lovelace', '%', 'a%', '']) expect(await find(email)).toEqual([]);
    });

    it('rejects filters that only transactions have', async () => {
      const owner = await anOwner(service.api);
      expect(outcome(await owner.api.get(`${path}?type=payment`))).toBe('400 invalid_request');
    });
  });

  describe.each(ownedResources.filter(({ hasFullView }) => hasFullView))(
    'GET $path?view=full',
    ({ path, body }) => {
      it('returns the same objects as the retrieval of each', async () => {
        const owner = await anOwner(service.api);
        for (let count = 0; count < 3; count += 1) await created(owner.api, path, body(owner.accountId));
        const full = (await owner.api.get(`${path}?view=full&limit=2`)).body;
        const retrieved = await Promise.all(
          full.data.map(async ({ id }: { id: string }) => (await owner.api.get(`${path}/${id}`)).body),
        );
        expect(full).toEqual({ object: 'list', data: retrieved, has_more: true });
        expect(full.data[0]).toHaveProperty('updated_at');
      });

      it.each(['short', 'Full', ''])('rejects view=%s', async (view) => {
        const { api } = await anOwner(service.api);
        expect(outcome(await api.get(`${path}?view=${view}`))).toBe('400 invalid_request');
      });
    },
  );
}
