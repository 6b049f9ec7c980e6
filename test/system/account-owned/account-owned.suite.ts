import { ISO_MS, outcome, ownedResources, startWithCast, unknownId } from '../../support/account-owned';
import { Api, Reply } from '../../support/api';
import { aMember, anOwner, aUser, created, logIn, Owner, Person } from '../../support/people';
import { TestService } from '../../support/service';

/** Bodies that every creation rejects, as changes of a valid one. */
const malformed: object[] = [
  { account_id: 7 },
  { account_id: ['acc'] },
  { account_id: {} },
  { amount: 0 },
  { amount: -1 },
  { amount: 1.5 },
  { amount: '100' },
  { amount: 2 ** 53 },
  { amount: 1e300 },
  { currency: 'usd' },
  { currency: 'US' },
  { currency: 'USDX' },
  { currency: 'ZZZ' },
  { currency: '' },
  { currency: 840 },
  { currency: ['USD'] },
  { currency: ' USD' },
  { currency: 'USD\n' },
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
  { id: 'txn_1' },
  { created_at: '2020-01-01T00:00:00.000Z' },
  { updated_at: null },
  { Amount: 1 },
  { accountId: 'acc' },
  { constructor: 1 },
];

/** Tests what transactions, payment requests and subscriptions have in common, on the service that `start` starts. */
export function accountOwnedSuite(start: () => Promise<TestService>): void {
  let service: TestService;
  let owner: Owner;
  let stranger: Owner;
  let admin: Person;
  let platform: Person;

  beforeAll(async () => {
    ({ service, owner, stranger, admin, platform } = await startWithCast(start));
  });
  afterAll(() => service.stop());

  describe.each(ownedResources)('$path', (resource) => {
    const { path, prefix, body, initialStatus, noSuchAccount, operations } = resource;
    const send = (members: object = {}, api: Api = owner.api): Promise<Reply> =>
      api.post(path, body(owner.accountId, members));
    const make = (person: Owner, members: object = {}): Promise<any> =>
      created(person.api, path, body(person.accountId, members));

    describe('Creation', () => {
      it('keeps reference and metadata as sent, which are null and {} by default', async () => {
        const sent = {
          amount: 9_007_199_254_740_991,
          reference: 'invoice-1',
          metadata: { a: [1, { b: null }] },
        };
        const rich = await anOwner(service.api);
        const { id, ...rest } = await make(rich, sent);
        expect(rest).toMatchObject(sent);
        expect((await rich.api.get(`${path}/${id}`)).body).toMatchObject(sent);
        const defaults = { reference: null, metadata: {} };
        expect((await send()).body).toMatchObject(defaults);
        expect((await send({ reference: null, metadata: null })).body).toMatchObject(defaults);
      });

      it.each(resource.required)('rejects a body without %s', async (member) => {
        expect(outcome(await send({ [member]: undefined }))).toBe('400 invalid_request');
        expect(outcome(await send({ [member]: null }))).toBe('400 invalid_request');
      });

      it.each(malformed)('rejects %j', async (members) => {
        expect(outcome(await send(members))).toBe('400 invalid_request');
      });

      it.each<unknown>([null, [], 'text', 1, true])('rejects the body %j', async (text) => {
        expect(outcome(await owner.api.post(path, text))).toBe('400 invalid_request');
      });

      it('rejects an unknown, malformed or foreign account', async () => {
        for (const account_id of [
          unknownId('acc'),
          'acc_1',
          '',
          'nonsense',
          "' OR 1=1 --",
          stranger.accountId,
        ]) {
          expect(outcome(await send({ account_id }))).toBe(`404 ${noSuchAccount}`);
        }
        const { api } = await aUser(service.api);
        expect(outcome(await send({}, api))).toBe(`404 ${noSuchAccount}`);
        expect(outcome(await send({ account_id: unknownId('acc') }, admin.api))).toBe(`404 ${noSuchAccount}`);
      });

      it('fixes the currency of the account, even when the item is canceled', async () => {
        const person = await anOwner(service.api);
        const change = async (currency: string): Promise<number> =>
          (await person.api.patch('/v1/account', { settings: { currency } })).status;
        expect(await change('EUR')).toBe(200);
        const { id } = await make(person, { currency: 'EUR' });
        expect(await change('USD')).toBe(400);
        await person.api.delete(`${path}/${id}`);
        expect(await change('USD')).toBe(400);
      });
    });

    describe('Access', () => {
      it('responds not_found to every operation on an unknown, malformed or foreign item', async () => {
        const { id } = await make(stranger);
        for (const item of [
          id,
          unknownId(prefix),
          `${prefix}_1`,
          'nonsense',
          owner.accountId,
          `${id}x`,
          "'%20OR%201=1",
        ]) {
          for (const call of operations)
            expect(outcome(await call(owner.api, `${path}/${item}`))).toBe('404 not_found');
          expect(outcome(await owner.api.get(`${path}/${item}`))).toBe('404 not_found');
          expect(outcome(await owner.api.delete(`${path}/${item}`))).toBe('404 not_found');
        }
        expect((await stranger.api.get(`${path}/${id}`)).body).toMatchObject({
          status: initialStatus,
          reference: null,
        });
      });

      it('is granted to members, admins and platform systems', async () => {
        const member = await aMember(service.api, owner);
        for (const { api } of [member, admin, platform]) {
          const { id } = (await send({}, api)).body;
          for (const call of operations) expect((await call(api, `${path}/${id}`)).status).toBe(200);
          expect(outcome(await api.get(`${path}/${id}`))).toBe(`200 ${initialStatus}`);
          expect(outcome(await api.delete(`${path}/${id}`))).toBe('200 canceled');
        }
      });
    });

    describe("The account's status", () => {
      it.each([
        ['suspended', '403 forbidden', '403 forbidden'],
        ['pending', `201 ${initialStatus}`, '200 canceled'],
      ])(
        '%s: a creation is %s for every caller, and items are read, and canceled by operators; by their owner: %s',
        async (status, expected, canceled) => {
          const person = await anOwner(service.api);
          const { id } = await make(person);
          await admin.api.patch(`/v1/accounts/${person.accountId}`, { status });
          const again = await logIn(service.api, person.email);
          for (const { api } of [again, admin, platform])
            expect(outcome(await api.post(path, body(person.accountId)))).toBe(expected);
          expect(outcome(await again.api.get(`${path}/${id}`))).toBe(`200 ${initialStatus}`);
          expect(outcome(await again.api.delete(`${path}/${id}`))).toBe(canceled);
          if (canceled !== '200 canceled')
            expect(outcome(await platform.api.delete(`${path}/${id}`))).toBe('200 canceled');
        },
      );

      it('closed: a creation is rejected for operators', async () => {
        const person = await anOwner(service.api);
        await person.api.delete('/v1/account');
        for (const { api } of [admin, platform])
          expect(outcome(await api.post(path, body(person.accountId)))).toBe('403 forbidden');
      });
    });

    describe('Cancellation', () => {
      it('happens once, and the item stays visible', async () => {
        const { id } = await make(owner);
        const { body: before } = await owner.api.get(`${path}/${id}`);
        const { status, body: canceled } = await owner.api.delete(`${path}/${id}`);
        expect(status).toBe(200);
        expect(canceled).toStrictEqual({
          id,
          status: 'canceled',
          canceled_at: expect.stringMatching(ISO_MS),
          message: expect.any(String),
        });
        expect(canceled.canceled_at > before.created_at).toBe(true);
        expect((await owner.api.get(`${path}/${id}`)).body).toStrictEqual({
          ...before,
          ...resource.whenCanceled,
          status: 'canceled',
          updated_at: canceled.canceled_at,
        });
        expect(outcome(await owner.api.delete(`${path}/${id}`))).toBe('409 not_cancellable');
        expect((await owner.api.get(`${path}?status=canceled&limit=1`)).body.data).toMatchObject([{ id }]);
      });

      it('succeeds for one of many concurrent requests', async () => {
        const { id } = await make(owner);
        const replies = await Promise.all(
          Array.from({ length: 10 }, () => owner.api.delete(`${path}/${id}`)),
        );
        expect(replies.map(outcome).toSorted()).toEqual([
          '200 canceled',
          ...Array.from({ length: 9 }, () => '409 not_cancellable'),
        ]);
      });
    });
  });
}
