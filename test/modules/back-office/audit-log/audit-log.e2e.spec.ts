import { AuditLogErasure, AuditLogVerification } from '../../../../src/modules/back-office';
import { exampleId } from '../../../../src/platform/http/response-fields';
import { AUDIT_ENTRIES } from '../../../support/audit-entries';
import {
  aMember,
  anAccount,
  anOperator,
  aUser,
  created,
  Owner,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../../support/people';
import { aTransaction } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';
import { contextOn } from '../../ledger/context';

let service: TestService;
let admin: Person;
let account: Owner;

beforeAll(async () => {
  service = await startTestService();
  admin = await theAdmin(service.api);
  account = await anAccount(service.api);
});
afterAll(() => service.stop());

const list = async (query: string): Promise<any[]> =>
  (await admin.api.get(`/v1/audit-log?${query}`)).body.data;

describe('GET /v1/audit-log', () => {
  it('answers who suspended an account, when and why', async () => {
    const path = `/v1/accounts/${account.accountId}`;
    const headers = { 'user-agent': 'the back office', 'x-request-id': 'suspension-1' };
    service.clock.move({ minutes: 1 });
    const at = service.clock.now().toISOString();
    await admin.api.patch(path, { status: 'suspended', reason: 'Chargebacks above the limit' }, { headers });
    await admin.api.patch(path, { status: 'active' });

    expect(await list(`object_id=${account.accountId}&action=account.suspend`)).toEqual([
      {
        id: expect.stringMatching(/^aud_/),
        sequence: null,
        created_at: expect.any(String),
        actor_id: admin.id,
        actor_role: 'admin',
        session_id: expect.stringMatching(/^ses_/),
        action: 'account.suspend',
        object_id: account.accountId,
        account_id: account.accountId,
        outcome: 'succeeded',
        reason: 'Chargebacks above the limit',
        details: { changes_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
        changes: [{ member: 'status', from: 'active', to: 'suspended' }],
        ip: expect.stringMatching(/127\.0\.0\.1|::1/),
        user_agent: 'the back office',
        request_id: 'suspension-1',
      },
    ]);
    const [{ created_at }] = await list(`object_id=${account.accountId}&action=account.suspend`);
    expect(created_at >= at && created_at <= service.clock.now().toISOString()).toBe(true);
    expect(await list(`object_id=${account.accountId}&action=account.activate`)).toMatchObject([
      { reason: null },
    ]);
  });

  it('answers who closed an account and why, and that its users were deleted', async () => {
    const closed = await anAccount(service.api);
    const email = 'member@example.com';
    const member = await created(closed.api, '/v1/users', { email, password: 'correct horse battery' });
    await admin.api.delete(`/v1/accounts/${closed.accountId}`, { reason: 'Fraud' });
    expect(await list(`account_id=${closed.accountId}&actor_id=${admin.id}`)).toMatchObject([
      { action: 'account.close', object_id: closed.accountId, reason: 'Fraud' },
      { action: 'user.delete', object_id: member.id, reason: null },
    ]);
  });

  it("names each change of a user's role, status and password, and who made it", async () => {
    const user = await aUser(service.api);
    const path = `/v1/users/${user.id}`;
    await admin.api.patch(path, { role: 'admin' });
    await admin.api.patch(path, {
      status: 'suspended',
      reason: 'Left the company',
      password: 'a new long one',
    });
    expect(await list(`object_id=${user.id}&actor_id=${admin.id}`)).toMatchObject([
      { action: 'password.change', reason: 'Left the company' },
      { action: 'user.suspend', reason: 'Left the company' },
      { action: 'user.set_role', details: { role: 'admin' }, reason: null },
    ]);
  });

  it('names the service as the actor that created the first admin', async () => {
    expect(await list(`object_id=${admin.id}&action=user.create`)).toMatchObject([
      { actor_id: 'system', details: { role: 'admin' }, ip: null },
    ]);
  });

  it('names new users and accounts, and where they signed up', async () => {
    const { id: user } = await aUser(service.api);
    const { accountId } = await anAccount(service.api);
    const signUp = {
      actor_id: null,
      actor_role: null,
      session_id: null,
      ip: expect.stringMatching(/^127|::1/),
    };
    expect(await list(`object_id=${user}&action=user.create`)).toMatchObject([
      { ...signUp, account_id: null, details: { role: 'user' } },
    ]);
    expect(await list(`object_id=${accountId}&action=account.create`)).toMatchObject([
      { ...signUp, account_id: accountId },
    ]);
  });

  it('names which user, account or sessions an admin looked at, but not what a platform system polls', async () => {
    const [user, platform] = [await aUser(service.api), await anOperator(service.api, 'platform')];
    const { accountId } = await anAccount(service.api);
    const paths = [`/v1/users/${user.id}`, `/v1/accounts/${accountId}`];
    for (const path of [...paths, ...paths.map((one) => `${one}/sessions`)])
      expect((await admin.api.get(path)).status).toBe(200);
    for (const path of paths) expect((await platform.api.get(path)).status).toBe(200);
    const reads = await list(`actor_id=${admin.id}&limit=4`);
    expect(reads.map(({ action, object_id }) => [action, object_id])).toEqual([
      ['account.list_sessions', accountId],
      ['user.list_sessions', user.id],
      ['account.read', accountId],
      ['user.read', user.id],
    ]);
    expect((await list(`actor_id=${platform.id}`)).map(({ action }) => action)).toEqual(['login']);
  });

  it('has one entry for all that an admin reads of one account or user within 15 minutes', async () => {
    const [user, { accountId }] = [await aUser(service.api), await anAccount(service.api)];
    const [ofAccount, ofUser] = [`/v1/accounts/${accountId}`, `/v1/users/${user.id}`];
    const polled = ['', '/balance', '/entries', '/sessions'].map((path) => `${ofAccount}${path}`);
    const read = (by: Person) =>
      Promise.all([...polled, ofUser, `${ofUser}/sessions`].map((path) => by.api.get(path)));
    const reads = async (by: Person) =>
      (await list(`actor_id=${by.id}&limit=100`))
        .map(({ action, object_id }) => `${action} ${object_id}`)
        .filter((one) => one.includes(accountId) || one.includes(user.id))
        .toSorted();
    const once = [
      `account.list_sessions ${accountId}`,
      `account.read ${accountId}`,
      `user.list_sessions ${user.id}`,
      `user.read ${user.id}`,
    ];
    const colleague = await anOperator(service.api, 'support');
    await read(admin);
    await read(colleague);
    await read(admin);
    expect([await reads(admin), await reads(colleague)]).toEqual([once, once]);
  });

  it('has the reasons of both admins who suspend the same account or user, and which came second', async () => {
    const [user, { accountId }] = [await aUser(service.api), await anAccount(service.api)];
    const second = await anOperator(service.api, 'admin');
    for (const path of [`/v1/accounts/${accountId}`, `/v1/users/${user.id}`]) {
      const change = (by: Person, reason: string) => by.api.patch(path, { status: 'suspended', reason });
      expect([(await change(admin, 'First')).status, (await change(second, 'Second')).status]).toEqual([
        200, 200,
      ]);
    }
    const suspensions = async (kind: string, id: string) =>
      (await list(`object_id=${id}&action=${kind}.suspend`)).map(({ reason, details }) => [reason, details]);
    const both = [
      ['Second', { repeated: true }],
      ['First', { changes_hash: expect.any(String) }],
    ];
    expect(await suspensions('account', accountId)).toEqual(both);
    expect(await suspensions('user', user.id)).toEqual(both);
  });

  it('has one suspension when the same status is set again without a reason', async () => {
    const [user, { accountId }] = [await aUser(service.api), await anAccount(service.api)];
    for (const path of [`/v1/accounts/${accountId}`, `/v1/users/${user.id}`]) {
      await admin.api.patch(path, { status: 'suspended' });
      expect((await admin.api.patch(path, { status: 'suspended' })).status).toBe(200);
    }
    expect(await list(`object_id=${accountId}&action=account.suspend`)).toHaveLength(1);
    expect(await list(`object_id=${user.id}&action=user.suspend`)).toHaveLength(1);
  });

  it('does not contain reads of admins of themselves, and of users of what is theirs', async () => {
    const owner = await anAccount(service.api);
    await admin.api.get(`/v1/users/${admin.id}`);
    await owner.api.get('/v1/account');
    expect(await list(`object_id=${admin.id}&action=user.read`)).toEqual([]);
    expect(await list(`object_id=${owner.accountId}&action=account.read`)).toEqual([]);
  });

  it('contains what a platform system does, but not the daily business of an account', async () => {
    const platform = await anOperator(service.api, 'platform');
    const owner = await anAccount(service.api);
    const body = aTransaction(owner.accountId, { type: 'credit' });
    const byPlatform = await created(platform.api, '/v1/transactions', body);
    const own = await created(owner.api, '/v1/transactions', body);
    expect(await list(`actor_id=${platform.id}&action=transaction.create`)).toMatchObject([
      { object_id: byPlatform.id, account_id: owner.accountId },
    ]);
    expect(await list(`object_id=${own.id}`)).toEqual([]);
  });

  it('names what an operator asked for and was refused', async () => {
    const platform = await anOperator(service.api, 'platform');
    await platform.api.delete(`/v1/accounts/${account.accountId}`);
    await platform.api.patch(`/v1/accounts/${account.accountId}`, { no: 'such member' });
    expect(await list(`actor_id=${platform.id}&outcome=refused`)).toMatchObject([
      {
        action: 'request',
        object_id: account.accountId,
        details: { operation: 'closeAccount', error: 'forbidden' },
      },
    ]);
  });

  it.each([
    ['createTransactions', '/v1/transactions/batch', 'transactions', { type: 'refund' }],
    ['createTransfers', '/v1/transfers/batch', 'transfers', { type: undefined, account_id: undefined }],
  ])(
    'names the items of an independent batch that were refused: %s',
    async (operation, path, name, members) => {
      const [platform, owner] = [await anOperator(service.api, 'platform'), await anAccount(service.api)];
      const sides =
        name === 'transfers' ? { from_account_id: owner.accountId, to_account_id: account.accountId } : {};
      const item = aTransaction(owner.accountId, { ...members, ...sides });
      const batch = { mode: 'independent', [name]: [item, {}, item] };
      for (const { api } of [platform, owner]) {
        const { data } = (await api.post(path, batch)).body;
        expect(data.map(({ status }: any) => status)).toEqual([402, 400, 402]);
      }
      const refused = {
        action: 'request',
        object_id: null,
        details: { operation, error: 'insufficient_funds' },
      };
      expect(await list(`actor_id=${platform.id}&outcome=refused`)).toMatchObject([refused, refused]);
      expect(await list(`actor_id=${owner.id}&outcome=refused`)).toEqual([]);
    },
  );

  it('does not record a replay again', async () => {
    const options = { headers: { 'idempotency-key': 'once' } };
    const body = aTransaction(account.accountId, { type: 'credit' });
    const { body: first } = await admin.api.post('/v1/transactions', body, options);
    await admin.api.post('/v1/transactions', body, options);
    expect(await list(`object_id=${first.id}`)).toHaveLength(1);
  });

  it('filters by outcome and by dates', async () => {
    const from = service.clock.now().toISOString();
    service.clock.move({ minutes: 1 });
    const until = service.clock.now().toISOString();
    const user = await aUser(service.api);
    await service.api.post('/v1/auth/login', { email: user.email, password: 'not this password' });
    const ofUser = `object_id=${user.id}`;
    expect(await list(`${ofUser}&outcome=failed`)).toHaveLength(1);
    expect(await list(`${ofUser}&date_from=${until}`)).toHaveLength(3);
    expect(await list(`${ofUser}&date_to=${from}`)).toHaveLength(0);
  });

  it('takes a place where it has no entry as a cursor', async () => {
    const oldest = exampleId('aud');
    expect(await list(`starting_after=${oldest}`)).toEqual([]);
    const { body } = await admin.api.get(`/v1/audit-log?ending_before=${oldest}&limit=1`);
    expect(body).toMatchObject({ data: [{}], has_more: true });
  });

  it('pages in both directions without gaps, sealed entries or not', async () => {
    await service.runDueTasks();
    await theAdmin(service.api);
    const whole = await list('limit=100');
    const ids = whole.map(({ id }) => id);
    const walked: string[] = [];
    for (let cursor = ''; ; cursor = `&starting_after=${walked.at(-1)}`) {
      const { body } = await admin.api.get(`/v1/audit-log?limit=7${cursor}`);
      walked.push(...body.data.map(({ id }: { id: string }) => id));
      if (!body.has_more) break;
    }
    expect(walked).toEqual(ids);
    expect((await list(`limit=3&ending_before=${ids[5]}`)).map(({ id }) => id)).toEqual(ids.slice(2, 5));
    const rows = await service.sql<{ id: string }>(`SELECT id FROM ${AUDIT_ENTRIES} ORDER BY id DESC`);
    expect(rows.map(({ id }) => id)).toEqual(ids);
  });

  it('leaves out reads', async () => {
    const user = await aUser(service.api);
    for (const path of ['', '/sessions']) await admin.api.get(`/v1/users/${user.id}${path}`);
    await admin.api.patch(`/v1/users/${user.id}`, { name: 'Grace' });
    const actions = async (query: string) =>
      (await list(`object_id=${user.id}&actor_id=${admin.id}${query}`)).map(({ action }) => action);
    const all = ['user.update', 'user.list_sessions', 'user.read'];
    expect(await actions('')).toEqual(all);
    expect(await actions('&reads=true')).toEqual(all);
    expect(await actions('&reads=false')).toEqual(['user.update']);
    await service.runDueTasks();
    expect(await actions('&reads=false')).toEqual(['user.update']);
    expect((await admin.api.get('/v1/audit-log?reads=0')).body.error).toBe('invalid_request');
  });

  it('returns one entry by its id', async () => {
    const [entry] = await list('limit=1');
    expect((await admin.api.get(`/v1/audit-log/${entry.id}`)).body).toEqual(entry);
  });
});

describe('The changes of an entry', () => {
  const changesOf = async (id: string, action: string) =>
    (await list(`object_id=${id}&action=${action}`)).map(({ changes }) => changes);

  it('say who changed the email of an account, from what to what, and what else', async () => {
    const { accountId, email } = await anAccount(service.api);
    const change = { email: someEmail(), settings: { language: 'de' } };
    await admin.api.patch(`/v1/accounts/${accountId}`, change);
    expect(await list(`object_id=${accountId}&action=account.update`)).toMatchObject([
      {
        actor_id: admin.id,
        changes: [
          { member: 'email', from: email, to: change.email },
          { member: 'settings.language', from: 'en', to: 'de' },
        ],
      },
    ]);
  });

  it('say how a user or an account has changed its own email', async () => {
    const [user, owner] = [await aUser(service.api), await anAccount(service.api)];
    for (const { api, email } of [user, owner]) {
      const reply = await api.post('/v1/auth/email', { current_password: PASSWORD, email: `new.${email}` });
      expect(reply.status).toBeLessThan(300);
    }
    const changed = (email: string) => [[{ member: 'email', from: email, to: `new.${email}` }]];
    expect(await changesOf(user.id, 'email.change')).toEqual(changed(user.email));
    expect(await changesOf(owner.accountId, 'email.change')).toEqual(changed(owner.email));
  });

  it('are those of the action, where one request is several', async () => {
    const { id } = await aUser(service.api);
    await admin.api.patch(`/v1/users/${id}`, { name: 'Grace', role: 'support', status: 'suspended' });
    expect(await changesOf(id, 'user.update')).toEqual([[{ member: 'name', from: null, to: 'Grace' }]]);
    expect(await changesOf(id, 'user.set_role')).toEqual([[{ member: 'role', from: 'user', to: 'support' }]]);
    expect(await changesOf(id, 'user.suspend')).toEqual([
      [{ member: 'status', from: 'active', to: 'suspended' }],
    ]);
    expect(await changesOf(id, 'user.create')).toEqual([[]]);
  });

  it('are those of a webhook endpoint, without its secrets', async () => {
    const owner = await anAccount(service.api);
    const [from, to] = ['https://hooks.example.com/old', 'https://hooks.example.com/new'];
    const { id } = await created(owner.api, '/v1/webhooks', { url: from });
    await owner.api.patch(`/v1/webhooks/${id}`, { url: to, event_types: ['transaction.created'] });
    expect(await changesOf(id, 'webhook_endpoint.update')).toEqual([
      [
        { member: 'url', from, to },
        { member: 'event_types', from: null, to: ['transaction.created'] },
      ],
    ]);
  });

  it('are those of the metadata of a transaction', async () => {
    const metadata = { order: '1', lot: 'a', kept: 'as it is' };
    const body = aTransaction(account.accountId, { type: 'credit', metadata });
    const { id } = await created(admin.api, '/v1/transactions', body);
    await admin.api.patch(`/v1/transactions/${id}`, {
      reference: 'r-2',
      metadata: { order: '2', lot: null },
    });
    expect(await changesOf(id, 'transaction.create')).toEqual([[]]);
    expect(await changesOf(id, 'transaction.update')).toEqual([
      [
        { member: 'reference', from: null, to: 'r-2' },
        { member: 'metadata.lot', from: 'a', to: null },
        { member: 'metadata.order', from: '1', to: '2' },
      ],
    ]);
  });

  it('are those of metadata with the name of a member that all objects inherit', async () => {
    const { id } = await created(
      admin.api,
      '/v1/transactions',
      aTransaction(account.accountId, { type: 'credit' }),
    );
    for (const constructor of ['x', null])
      await admin.api.patch(`/v1/transactions/${id}`, { metadata: { constructor } });
    expect(await changesOf(id, 'transaction.update')).toEqual([
      [{ member: 'metadata.constructor', from: 'x', to: null }],
      [{ member: 'metadata.constructor', from: null, to: 'x' }],
    ]);
  });

  it('are erased for one account and what it owns, which is recorded, and stay in the entries of others', async () => {
    const [erased, other] = [await anAccount(service.api), await anAccount(service.api)];
    for (const { accountId } of [erased, other])
      await admin.api.patch(`/v1/accounts/${accountId}`, { name: 'Grace Hopper' });
    await service.runDueTasks();
    const member = await aMember(service.api, erased);
    await admin.api.patch(`/v1/users/${member.id}`, { name: 'Ada' });
    const app = await contextOn(service);
    expect(await app.get(AuditLogErasure).run(erased.accountId, 'Erasure request 7')).toBe(2);
    const result = await app.get(AuditLogVerification).run(() => undefined);
    await app.close();
    expect(result).toMatchObject({ faults: [], erased: 2 });
    expect(await changesOf(erased.accountId, 'account.update')).toEqual([null]);
    expect(await changesOf(member.id, 'user.update')).toEqual([null]);
    expect(await changesOf(other.accountId, 'account.update')).toMatchObject([[{ to: 'Grace Hopper' }]]);
    expect(await list(`object_id=${erased.accountId}&action=audit_log.erase`)).toMatchObject([
      { actor_id: 'system', reason: 'Erasure request 7', details: { count: 2 } },
    ]);
  });
});
