import { Api } from '../../../support/api';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../../support/people';
import { aPaymentRequest, aSubscription } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';

let service: TestService;
let owner: Owner;
let other: Owner;
let admin: Person;

beforeAll(async () => {
  service = await startTestService();
  admin = await theAdmin(service.api);
  owner = await anOwner(service.api);
  other = await anOwner(service.api);
});
afterAll(() => service.stop());

async function find(api: Api, q: string): Promise<{ data: any[]; has_more: boolean }> {
  const { status, body } = await api.get(`/v1/search?${new URLSearchParams({ q }).toString()}`);
  expect(status).toBe(200);
  return body;
}

async function idsOf(api: Api, q: string): Promise<string[]> {
  return (await find(api, q)).data.map(({ type, id }) => `${type} ${id}`);
}

const aCredit = ({ accountId }: Owner, reference: string) => ({
  account_id: accountId,
  amount: 100,
  currency: 'USD',
  type: 'credit',
  reference,
});

describe('A search', () => {
  it('finds whatever has the reference, also of the same customer, each as its own operation returns it', async () => {
    const reference = 'order 77/ü';
    const transaction = await created(owner.api, '/v1/transactions', aCredit(owner, reference));
    const request = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, { reference }));
    const subscription = await created(
      owner.api,
      '/v1/subscriptions',
      aSubscription(owner.accountId, { reference }),
    );
    const { data, has_more } = await find(owner.api, `  ${reference} `);
    expect(has_more).toBe(false);
    expect(data.find(({ type }) => type === 'transaction')).toEqual({
      type: 'transaction',
      id: transaction.id,
      account_id: owner.accountId,
      object: (await owner.api.get(`/v1/transactions/${transaction.id}`)).body,
    });
    const { payment_url, ...withoutLink } = (await owner.api.get(`/v1/payments/${request.id}`)).body;
    expect(payment_url).toContain('/pay/');
    expect(data.find(({ id }) => id === request.id).object).toEqual(withoutLink);
    expect(data.map(({ id }) => id)).toEqual(expect.arrayContaining([subscription.id]));
    expect((await find(admin.api, reference)).data).toEqual(data);
    expect((await find(other.api, reference)).data).toEqual([]);
  });

  it('finds a reference in any case, first as it is typed, in capital letters, in small ones and capitalized', async () => {
    const { api, accountId } = await anOwner(service.api);
    const references = ['rF-2041-Ab', 'RF-2041-AB', 'rf-2041-ab', 'Rf-2041-ab', 'RF-2041-ab'];
    const ids: string[] = [];
    for (const reference of references) {
      const body = aPaymentRequest(accountId, { reference });
      ids.unshift((await created(api, '/v1/payments', body)).id);
    }
    const [mixed, capitalized, lower, upper, other] = ids;
    const found = async (text: string) => (await find(api, text)).data.map(({ id }) => id);
    for (const text of ['rf-2041-ab', 'RF-2041-AB'])
      expect(await found(text)).toEqual([capitalized, lower, upper, mixed, other]);
    expect(await found(references[0]!)).toEqual([capitalized, lower, upper, other, mixed]);
  });

  describe('of a part', () => {
    const named = async (name: string) => {
      const body = { name, email: someEmail(), password: PASSWORD, type: 'business' };
      const { id } = await created(service.api, '/v1/accounts', body);
      return `account ${id}`;
    };

    it.each([
      ['Harbour Cycles Ltd', ['Cycles', 'cycl', 'ARBOUR CY', 'harbour cycles ltd']],
      ['Bäckerei Müller', ['muller', 'MÜLLER', 'Mu\u0308ller', 'backerei mull']],
      ['Sohne & Straße GmbH', ['Söhne', 'strasse', 'e & straß']],
      ['Siobhan O\u2019Connor', ["O'Connor", 'o\u2019connor', 'oconnor', 'O`CONNOR']],
      ['Łódź Smørrebrød', ['lodz', 'smorrebrod', 'Łódź']],
    ])('finds the account %s', async (name, parts) => {
      const account = await named(name);
      for (const part of parts) expect([part, await idsOf(admin.api, part)]).toEqual([part, [account]]);
      for (const part of parts) expect(await idsOf(other.api, part)).toEqual([]);
    });

    it('finds users and accounts by parts of their emails, within what the caller may see', async () => {
      const account = await anOwner(service.api);
      const email = 'zoe.angstrom@quirky-domain.example';
      await created(account.api, '/v1/users', { email, password: PASSWORD });
      const member = await logIn(service.api, email);
      const found = [`user ${member.id}`];
      for (const { api } of [admin, account, member])
        for (const part of ['angstrom@quirky', 'ZOE.ANG', 'quirky-domain'])
          expect(await idsOf(api, part)).toEqual(found);
      const colleague = await aMember(service.api, account);
      for (const { api } of [other, colleague]) expect(await idsOf(api, 'quirky')).toEqual([]);
    });

    it('finds references of transactions, payment requests and subscriptions, grouped by type', async () => {
      const account = await anOwner(service.api);
      const { accountId } = account;
      const reference = 'INV-90417';
      const transaction = await created(account.api, '/v1/transactions', aCredit(account, reference));
      const subscription = await created(
        account.api,
        '/v1/subscriptions',
        aSubscription(accountId, { reference: 'Büro 90417/b' }),
      );
      const request = await created(account.api, '/v1/payments', aPaymentRequest(accountId, { reference }));
      const all = [`transaction ${transaction.id}`, `payment_request ${request.id}`];
      for (const { api } of [admin, account]) {
        expect(await idsOf(api, 'buro 904')).toContain(`subscription ${subscription.id}`);
        expect(await idsOf(api, 'inv-904')).toEqual(all);
        expect((await idsOf(api, '90417')).slice(0, 2)).toEqual(all);
      }
      expect(await idsOf(other.api, '90417')).toEqual([]);
    });

    it('puts what is named exactly first, and then the newest, ten of each type at most', async () => {
      const account = await anOwner(service.api);
      const ids: string[] = [];
      for (const reference of ['batch', ...Array.from({ length: 11 }, (_, number) => `batch-${number}`)])
        ids.unshift((await created(account.api, '/v1/transactions', aCredit(account, reference))).id);
      const { data, has_more } = await find(account.api, 'batch');
      expect(data.map(({ id }) => id)).toEqual([ids.at(-1), ...ids.slice(0, 9)]);
      expect(has_more).toBe(true);
    });

    it.each(['o', 'in', "o'", '%%%', '___', '-- ;'])('needs three letters or digits: %j', async (part) => {
      await created(owner.api, '/v1/transactions', aCredit(owner, 'in--%%%___o -- ;x'));
      expect(await idsOf(owner.api, part)).toEqual([]);
    });

    it('compares characters of patterns as such', async () => {
      const account = await anOwner(service.api);
      await created(account.api, '/v1/transactions', aCredit(account, 'abcXdef'));
      const { id } = await created(account.api, '/v1/transactions', aCredit(account, 'abc%_\\def'));
      for (const part of ['abc%', 'bc%_\\def', '%_\\def'])
        expect(await idsOf(account.api, part)).toEqual([`transaction ${id}`]);
      expect(await idsOf(account.api, 'abc_def')).toEqual([]);
    });

    it('does not record reads of accounts that it lists', async () => {
      const account = await named('Unread Harbour Works');
      expect(await idsOf(admin.api, 'unread harb')).toEqual([account]);
      const { body } = await admin.api.get(
        `/v1/audit-log?object_id=${account.split(' ')[1]}&action=account.read`,
      );
      expect(body.data).toEqual([]);
    });
  });

  it('finds an account and a user by email in any case, and by id', async () => {
    const member = await aMember(service.api, owner);
    for (const caller of [admin, await anOperator(service.api, 'platform'), owner]) {
      expect(await idsOf(caller.api, member.email.toUpperCase())).toEqual([`user ${member.id}`]);
      for (const id of [member.id, member.id.toUpperCase()])
        expect(await idsOf(caller.api, id)).toEqual([`user ${member.id}`]);
      expect(await idsOf(caller.api, owner.accountId)).toEqual([`account ${owner.accountId}`]);
    }
    const { email } = (await owner.api.get('/v1/account')).body;
    expect(await idsOf(admin.api, email)).toContain(`account ${owner.accountId}`);
    for (const text of [member.email, member.id, owner.accountId, email])
      expect(await idsOf(other.api, text)).toEqual([]);
  });

  it('finds payment requests and subscriptions by the email of the customer, and by the reference of a transfer', async () => {
    const customer_email = 'Grace.Hopper@example.com';
    const request = await created(
      owner.api,
      '/v1/payments',
      aPaymentRequest(owner.accountId, { customer_email }),
    );
    expect(await idsOf(owner.api, 'grace.hopper@EXAMPLE.com')).toEqual([`payment_request ${request.id}`]);
    const transferReference = `${request.id.slice(-10, -5)} ${request.id.slice(-5)}`.toUpperCase();
    expect(await idsOf(owner.api, transferReference)).toEqual([`payment_request ${request.id}`]);
  });

  it('returns ten of a type, newest first, and says that there are more', async () => {
    const ids: string[] = [];
    for (let count = 0; count < 11; count += 1)
      ids.unshift((await created(owner.api, '/v1/transactions', aCredit(owner, 'frequent'))).id);
    const { data, has_more } = await find(owner.api, 'frequent');
    expect(data.map(({ id }) => id)).toEqual(ids.slice(0, 10));
    expect(has_more).toBe(true);
  });

  it('is recorded in the audit log as an admin’s read of the account', async () => {
    const { accountId } = await anOwner(service.api);
    await find(admin.api, accountId);
    const { body } = await admin.api.get(`/v1/audit-log?object_id=${accountId}&action=account.read`);
    expect(body.data).toHaveLength(1);
  });

  it('finds an API key, a webhook endpoint and an event by id, as their own operations return them', async () => {
    const { key: _, ...apiKey } = await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
    const { secret: __, ...endpoint } = await created(owner.api, '/v1/webhooks', {
      url: 'https://hooks.example.com/',
    });
    const [event] = (await owner.api.get('/v1/events?limit=1')).body.data;
    for (const [type, object] of Object.entries({ api_key: apiKey, webhook_endpoint: endpoint, event })) {
      const found = { type, id: object.id, account_id: owner.accountId, object };
      for (const caller of [admin, owner]) expect((await find(caller.api, object.id)).data).toEqual([found]);
      expect((await find(other.api, object.id)).data).toEqual([]);
    }
    await owner.api.delete(`/v1/api-keys/${apiKey.id}`);
    expect((await find(admin.api, apiKey.id)).data).toEqual([]);
  });

  it('finds for the back office what belongs to no account: approvals, platform keys and their events', async () => {
    const { id: userId } = await aUser(service.api);
    const promotion = { type: 'make_admin', object_id: userId, reason: 'Joins the back office' };
    const approval = await created(admin.api, '/v1/approvals', promotion);
    expect((await find(admin.api, approval.id)).data).toEqual([
      { type: 'approval', id: approval.id, account_id: null, object: approval },
    ]);
    const { id } = await created(admin.api, '/v1/api-keys', { name: 'Rails', role: 'platform' });
    expect((await find(admin.api, id)).data).toMatchObject([{ type: 'api_key', id, account_id: null }]);
    const [event] = (await admin.api.get(`/v1/events?object_id=${id}`)).body.data;
    expect((await find(admin.api, event.id)).data).toEqual([
      { type: 'event', id: event.id, account_id: null, object: event },
    ]);
    for (const caller of [owner, await anOperator(service.api, 'platform')])
      for (const text of [approval.id, id]) expect((await find(caller.api, text)).data).toEqual([]);
    expect((await find(owner.api, event.id)).data).toEqual([]);
  });

  it('finds for the back office notes and entries of the audit log, and records who reads a note', async () => {
    const [{ id: userId }, { accountId }] = [await aUser(service.api), await anOwner(service.api)];
    const support = await anOperator(service.api, 'support');
    for (const [path, about, account_id] of [
      [`/v1/accounts/${accountId}`, accountId, accountId],
      [`/v1/users/${userId}`, userId, null],
    ] as const) {
      const note = await created(admin.api, `${path}/notes`, { text: 'Called on Monday.' });
      const foundNote = { type: 'note', id: note.id, account_id, object: note };
      expect((await find(support.api, note.id)).data).toEqual([foundNote]);
      const reads = await admin.api.get(`/v1/audit-log?object_id=${about}&actor_id=${support.id}`);
      expect(reads.body.data).toHaveLength(1);
      const [entry] = (await admin.api.get(`/v1/audit-log?object_id=${note.id}`)).body.data;
      const foundEntry = { type: 'audit_entry', id: entry.id, account_id, object: entry };
      expect((await find(support.api, entry.id)).data).toEqual([foundEntry]);
      for (const caller of [owner, await anOperator(service.api, 'platform')])
        for (const text of [note.id, entry.id]) expect((await find(caller.api, text)).data).toEqual([]);
    }
  });

  it('finds for an API key only what its scopes open', async () => {
    await created(owner.api, '/v1/transactions', aCredit(owner, 'scoped'));
    await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId, { reference: 'scoped' }));
    const typesFor = async (scopes: string[], text = 'scoped'): Promise<string[]> => {
      const { key } = await created(owner.api, '/v1/api-keys', { name: 'search', scopes });
      return (await find(service.api.as(key), text)).data.map(({ type }) => type);
    };
    expect(await typesFor(['transactions:read'])).toEqual(['transaction']);
    const [event] = (await owner.api.get('/v1/events?type=transaction.succeeded')).body.data;
    expect(await typesFor(['transactions:read'], event.id)).toEqual([]);
    expect(await typesFor(['transactions:read', 'webhooks'], event.id)).toEqual(['event']);
    expect(await typesFor(['transactions:read', 'payments:read'])).toEqual([
      'transaction',
      'payment_request',
    ]);
  });

  it.each(['', ' ', '\n\u00a0', ' '.repeat(256), 'x'.repeat(256)])(
    'needs a text of 1 to 255 characters: %j',
    async (q) => {
      const { status } = await owner.api.get(`/v1/search?${new URLSearchParams({ q }).toString()}`);
      expect(status).toBe(400);
    },
  );

  it('ignores white space around a text, also for its length', async () => {
    const reference = 'x'.repeat(255);
    const { id } = await created(owner.api, '/v1/transactions', aCredit(owner, reference));
    expect(await idsOf(owner.api, `\u00a0 ${reference}\n`)).toEqual([`transaction ${id}`]);
  });

  it.each(['%', "' OR 1=1 --", 'acc_', 'txn_00000000000000000000000000', '🦉'])(
    'finds nothing for %j',
    async (q) => {
      expect(await idsOf(admin.api, q)).toEqual([]);
    },
  );
});
