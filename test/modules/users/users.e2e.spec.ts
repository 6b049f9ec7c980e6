import {
  aMember,
  anAccount,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  PASSWORD,
  Person,
  someEmail,
  theAdmin,
} from '../../support/people';
import { untilOneWaits } from '../../support/lock-waits';
import { startTestService, TestService } from '../../support/service';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const USER_ID = /^usr_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const NEW_PASSWORD = 'another long enough one';
const ABSENT = 'usr_01k9x8v2t4e6rb3m5n7p9q1s0w';

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const signUp = (body: object) =>
  service.api.post('/v1/users', { email: someEmail(), password: PASSWORD, ...body });

describe('POST /v1/users (interface 4.2)', () => {
  it('creates a user without a token', async () => {
    const email = someEmail();
    const { status, body } = await service.api.post('/v1/users', {
      email,
      password: PASSWORD,
      name: 'Ada Lovelace',
    });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(USER_ID),
      email,
      name: 'Ada Lovelace',
      status: 'active',
      created_at: expect.stringMatching(ISO),
      updated_at: body.created_at,
    });
    expect(Math.abs(Date.parse(body.created_at) - service.clock.now().getTime())).toBeLessThan(10_000);
    await logIn(service.api, email);
  });

  it.each([{}, { name: null }])('returns a null name for %j', async (body) => {
    expect((await signUp(body)).body.name).toBeNull();
  });

  it('returns the email unchanged and compares it case-insensitively', async () => {
    const id = someEmail();
    const email = `Grace.HOPPER+${id}`;
    expect((await signUp({ email })).body.email).toBe(email);
    for (const variant of [email, email.toLowerCase(), email.toUpperCase()]) {
      const { status, body } = await signUp({ email: variant });
      expect([status, body.error]).toEqual([409, 'email_exists']);
    }
    expect((await logIn(service.api, email.toUpperCase())).email).toBe(email.toUpperCase());
  });

  it('accepts the email of an account', async () => {
    const { email } = await anAccount(service.api);
    expect((await signUp({ email })).status).toBe(201);
  });

  it('accepts the email of a deleted user', async () => {
    const user = await aUser(service.api);
    await user.api.delete(`/v1/users/${user.id}`);
    const { status, body } = await signUp({ email: user.email });
    expect(status).toBe(201);
    expect(body.id).not.toBe(user.id);
  });

  it.each<[string, object]>([
    ['no email', { email: undefined }],
    ['no password', { password: undefined }],
    ['a malformed email', { email: 'ada' }],
    ['a null email', { email: null }],
    ['a numeric email', { email: 7 }],
    ['an array as the email', { email: ['ada@example.com'] }],
    ['an empty email', { email: '' }],
    [
      'an email of 255 characters',
      { email: `${'a'.repeat(64)}@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.example` },
    ],
    ['a null password', { password: null }],
    ['a numeric password', { password: 12345678 }],
    ['a password of 7 characters', { password: 'xq7!kd2' }],
    ['a password of 73 bytes', { password: `${'é'.repeat(36)}x` }],
    ['a common password', { password: 'password123' }],
    ['the email as the password', { email: 'Someone@example.com', password: 'someone@EXAMPLE.com' }],
    ['an empty name', { name: '' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['a numeric name', { name: 7 }],
    ['a name with a NUL character', { name: 'A\u0000da' }],
    ['a name with a lone surrogate', { name: 'A\ud800da' }],
    ['an id', { id: ABSENT }],
  ])('rejects %s', async (_, body) => {
    const before = await service.sql<{ count: string }>('SELECT count(*) FROM users');
    const reply = await signUp(body);
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
    expect(reply.body.message).not.toBe('');
    expect(await service.sql('SELECT count(*) FROM users')).toEqual(before);
  });

  it('accepts a password of 72 bytes and a name of 255 characters', async () => {
    const email = someEmail();
    const password = 'é'.repeat(36);
    const name = 'x'.repeat(255);
    expect((await signUp({ email, password, name })).body.name).toBe(name);
    await logIn(service.api, email, password);
  });

  it.each(['nonsense', 'a.b.c', ''])(
    'rejects the invalid token "%s", although none is required',
    async (token) => {
      const { status, body } = await service.api
        .as(token)
        .post('/v1/users', { email: someEmail(), password: PASSWORD });
      expect([status, body.error]).toEqual([401, 'unauthorized']);
    },
  );

  it('rejects another authorization scheme, although none is required', async () => {
    const headers = { authorization: 'Basic YWRhOnNlY3JldA==' };
    const reply = await service.api.post(
      '/v1/users',
      { email: someEmail(), password: PASSWORD },
      { headers },
    );
    expect([reply.status, reply.body.error]).toEqual([401, 'unauthorized']);
  });

  it('does not return, store or log the password in plain text', async () => {
    const password = 'a canary password';
    const { text } = await signUp({ password });
    expect(text).not.toContain(password);
    expect(service.logged.join()).not.toContain(password);
    const [found] = await service.sql<{ count: string }>(
      `SELECT count(*) FROM credentials WHERE credentials::text LIKE '%canary%'`,
    );
    expect(found!.count).toBe('0');
  });
});

describe('Members of an account', () => {
  it('are users created by the account itself', async () => {
    const account = await anAccount(service.api);
    const member = await aMember(service.api, account);
    expect((await member.api.get('/v1/account')).body.id).toBe(account.accountId);
    expect((await member.api.patch('/v1/account', { name: 'Mine' })).status).toBe(401);
  });

  it('are users created by the user who owns it', async () => {
    const owner = await anOwner(service.api);
    const member = await aMember(service.api, owner);
    expect((await member.api.get('/v1/account')).body.id).toBe(owner.accountId);
  });

  it('are users created by an admin with an account_id', async () => {
    const account = await anAccount(service.api);
    const email = someEmail();
    await created((await theAdmin(service.api)).api, '/v1/users', {
      email,
      password: PASSWORD,
      account_id: account.accountId,
    });
    expect((await (await logIn(service.api, email)).api.get('/v1/account')).body.id).toBe(account.accountId);
  });

  it.each(['member', 'unlinked', 'platform', 'admin'])(
    'are not users created with the token of: %s',
    async (who) => {
      const caller = await {
        member: async () => aMember(service.api, await anOwner(service.api)),
        unlinked: () => aUser(service.api),
        platform: () => anOperator(service.api, 'platform'),
        admin: () => anOperator(service.api, 'admin'),
      }[who]!();
      const email = someEmail();
      await created(caller.api, '/v1/users', { email, password: PASSWORD });
      expect((await (await logIn(service.api, email)).api.get('/v1/account')).status).toBe(403);
    },
  );
});

describe('Fields that only admins may set', () => {
  it.each([
    { role: 'admin' },
    { role: 'user' },
    { status: 'pending' },
    { status: 'active' },
    { account_id: 'acc_01k9x8v2t4e6rb3m5n7p9q1s0w' },
  ])('%j from anyone else: unauthorized', async (privilege) => {
    const platform = await anOperator(service.api, 'platform');
    const owner = await anOwner(service.api);
    for (const api of [service.api, platform.api, owner.api]) {
      const { status, body } = await api.post('/v1/users', {
        email: someEmail(),
        password: PASSWORD,
        ...privilege,
      });
      expect([status, body.error]).toEqual([401, 'unauthorized']);
    }
  });

  it.each(['suspended', 'pending', 'active'])('the status %s applies to the new user', async (status) => {
    const admin = await theAdmin(service.api);
    const email = someEmail();
    expect((await created(admin.api, '/v1/users', { email, password: PASSWORD, status })).status).toBe(
      status,
    );
    const login = await service.api.post('/v1/auth/login', { email, password: PASSWORD });
    if (status === 'active') expect(login.status).toBe(200);
    else expect([login.status, login.body.error]).toEqual([401, 'unauthorized']);
  });

  it.each<object>([
    { role: 'root' },
    { role: null },
    { status: 'closed' },
    { status: null },
    { account_id: 'acc_1' },
    { account_id: null },
    { account_id: 7 },
  ])('%j from an admin: invalid_request', async (wrong) => {
    const admin = await theAdmin(service.api);
    const { status, body } = await admin.api.post('/v1/users', {
      email: someEmail(),
      password: PASSWORD,
      ...wrong,
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('account_id requires the role user and an account that is not closed', async () => {
    const admin = await theAdmin(service.api);
    const account = await anAccount(service.api);
    const member = (more: object) =>
      admin.api.post('/v1/users', {
        email: someEmail(),
        password: PASSWORD,
        account_id: account.accountId,
        ...more,
      });
    for (const role of ['admin', 'platform']) expect((await member({ role })).status).toBe(400);
    expect((await member({ role: 'user' })).status).toBe(201);
    await account.api.delete('/v1/account');
    expect((await member({})).status).toBe(400);
  });

  it('is forbidden to an owner whose account is closed meanwhile', async () => {
    const { api, accountId } = await anOwner(service.api);
    await service.sql('BEGIN');
    await service.sql("UPDATE accounts SET status = 'closed' WHERE id = $1", [accountId]);
    const created = api.post('/v1/users', { email: someEmail(), password: PASSWORD });
    await untilOneWaits(service);
    await service.sql('COMMIT');
    expect(await created).toMatchObject({
      status: 403,
      body: { error: 'forbidden', message: 'The account is closed.' },
    });
  });
});

describe('GET /v1/users (interface 4.2)', () => {
  let owner: Person & { accountId: string };
  let ids: string[];

  beforeAll(async () => {
    owner = await anOwner(service.api);
    ids = [owner.id];
    const names = [
      'Percy 100% Shelley',
      'Under_score',
      'Back\\slash',
      'underXscore',
      'Percy 100 Shelley',
      null,
      'Émilie du Châtelet',
    ];
    for (const [index, name] of names.entries()) {
      const email = `list-${index}-${owner.accountId.slice(4)}@Example.com`;
      ids.unshift((await created(owner.api, '/v1/users', { email, password: PASSWORD, name })).id);
    }
    const admin = await theAdmin(service.api);
    for (const [index, status] of (['suspended', 'pending', 'suspended'] as const).entries()) {
      const more = { status, account_id: owner.accountId, name: `Inactive ${index}` };
      ids.unshift(
        (await created(admin.api, '/v1/users', { email: someEmail(), password: PASSWORD, ...more })).id,
      );
    }
  });

  const list = async (query: string) => (await owner.api.get(`/v1/users${query}`)).body;
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);
  const found = async (search: string) =>
    (await list(`?search=${encodeURIComponent(search)}`)).data
      .map(({ name }: { name: string }) => name)
      .toSorted();

  it("lists the users of an owner's account, newest first, 25 per page", async () => {
    const body = await list('');
    expect(idsOf(body)).toEqual(ids);
    expect(body.pagination).toEqual({ page: 1, limit: 25, total_pages: 1, total_records: 11 });
    const { status, body: one } = await owner.api.get(`/v1/users/${ids[1]}`);
    expect([status, one]).toEqual([200, body.data[1]]);
  });

  it.each([1, 2, 3, 4, 5, 11, 12, 100])('returns all users in pages of %i', async (limit) => {
    const pages = Math.ceil(11 / limit);
    const collected: string[] = [];
    for (let page = 1; page <= pages; page += 1) {
      const body = await list(`?page=${page}&limit=${limit}`);
      expect(body.pagination).toEqual({ page, limit, total_pages: pages, total_records: 11 });
      collected.push(...idsOf(body));
    }
    expect(collected).toEqual(ids);
  });

  it.each([2, 3, 1000, 999_999])('returns no users for page %i, which is past the end', async (page) => {
    expect(await list(`?page=${page}`)).toEqual({
      data: [],
      pagination: { page, limit: 25, total_pages: 1, total_records: 11 },
    });
  });

  it.each([
    ['active', 8],
    ['suspended', 2],
    ['pending', 1],
  ])('filters by status %s', async (status, count) => {
    const { data, pagination } = await list(`?status=${status}`);
    expect(data.map((user: { status: string }) => user.status)).toEqual(Array(count).fill(status));
    expect(pagination.total_records).toBe(count);
  });

  it('searches names and emails case-insensitively and combines with the status', async () => {
    expect(await found('percy')).toEqual(['Percy 100 Shelley', 'Percy 100% Shelley']);
    expect(idsOf(await list(`?search=LIST-5-${owner.accountId.slice(4).toUpperCase()}`))).toEqual([ids[4]]);
    expect((await list('?search=inactive&status=pending')).pagination.total_records).toBe(1);
    expect((await list('?search=nobody-has-this')).pagination).toEqual({
      page: 1,
      limit: 25,
      total_pages: 0,
      total_records: 0,
    });
    expect(idsOf(await list('?search='))).toEqual(ids);
  });

  it.each([
    ['%', ['Percy 100% Shelley']],
    ['0% S', ['Percy 100% Shelley']],
    ['_', ['Under_score']],
    ['r_s', ['Under_score']],
    ['\\', ['Back\\slash']],
    ['k\\s', ['Back\\slash']],
    ['%%', []],
    ['\\_', []],
    ["'", []],
    ['" OR 1=1 --', []],
    ['Émilie', ['Émilie du Châtelet']],
  ])('searches for %s literally', async (search, names) => {
    expect(await found(search)).toEqual(names);
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=1e2',
    'page=abc',
    'page=',
    'page=01',
    'page=%201',
    'page=99999999999999999999',
    'limit=0',
    'limit=101',
    'limit=-5',
    'limit=2.0',
    'limit=',
    'limit=ten',
    'limit=1e1',
    'status=closed',
    'status=ACTIVE',
    'status=',
    'search=%00',
    `search=${'x'.repeat(256)}`,
    'page=1&page=1',
    'limit=5&limit=6',
    'status=active&status=active',
    'search=a&search=b',
    'page[]=1',
    'search[a]=b',
    'sort=name',
    'Page=1',
    '__proto__=1',
    'constructor=1',
    '=1',
  ])('rejects ?%s', async (query) => {
    const { status, body } = await owner.api.get(`/v1/users?${query}`);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('shows with view=full what a user is, in the service and in an account', async () => {
    const owner = await anOwner(service.api);
    const member = await aMember(service.api, owner);
    const support = await anOperator(service.api, 'support');
    const { api } = await theAdmin(service.api);
    const linked = { role: 'user', account_id: owner.accountId };
    const { data } = (await api.get(`/v1/users?account_id=${owner.accountId}&view=full`)).body;
    expect(data).toEqual([
      expect.objectContaining({ ...linked, id: member.id, membership_role: 'member', invited: false }),
      expect.objectContaining({ ...linked, id: owner.id, membership_role: 'owner' }),
    ]);
    expect((await owner.api.get(`/v1/users/${member.id}?view=full`)).body).toEqual(data[0]);
    const shown = (await api.get(`/v1/users/${support.id}?view=full`)).body;
    expect(shown).toMatchObject({ role: 'support', account_id: null, membership_role: null });
    expect(Object.keys((await api.get(`/v1/users/${support.id}`)).body)).not.toContain('role');
  });

  it('returns all users to admins and platform systems', async () => {
    const [count] = await service.sql<{ count: string }>('SELECT count(*) FROM users');
    for (const role of ['admin', 'platform'] as const) {
      const { api, id } = await anOperator(service.api, role);
      const { body } = await api.get('/v1/users?limit=1');
      expect(body.data.map((user: { id: string }) => user.id)).toEqual([id]);
      expect(body.pagination.total_records).toBeGreaterThan(Number(count!.count));
    }
  });
});

describe('PATCH /v1/users/{user_id} (interface 4.2)', () => {
  it('changes only the given fields', async () => {
    const user = await aUser(service.api);
    const { body: before } = await user.api.get(`/v1/users/${user.id}`);
    const { status, body } = await user.api.patch(`/v1/users/${user.id}`, { name: 'Ada King' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'Ada King', updated_at: expect.stringMatching(ISO) });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect((await user.api.get(`/v1/users/${user.id}`)).body).toEqual(body);
    expect((await user.api.patch(`/v1/users/${user.id}`, { name: null })).body.name).toBeNull();
  });

  it('changes nothing for {}', async () => {
    const user = await aUser(service.api);
    const { body: before } = await user.api.get(`/v1/users/${user.id}`);
    expect(await user.api.patch(`/v1/users/${user.id}`, {})).toMatchObject({ status: 200, body: before });
    expect((await user.api.get(`/v1/users/${user.id}`)).body).toEqual(before);
  });

  it('advances updated_at with each change, also when the clock steps back', async () => {
    const user = await aUser(service.api);
    const stamps = [(await user.api.get(`/v1/users/${user.id}`)).body.updated_at];
    try {
      for (const [minutes, change] of [
        [0, { name: 'One' }],
        [-10, { name: 'Two' }],
        [-10, { name: 'Two' }],
        [0, { password: NEW_PASSWORD }],
        [25, { name: null }],
      ] as const) {
        service.clock.move({ minutes });
        stamps.push((await user.api.patch(`/v1/users/${user.id}`, change)).body.updated_at);
      }
      expect(stamps).toEqual([...new Set(stamps)].toSorted());
    } finally {
      service.clock.move({ minutes: -5 });
    }
  });

  it.each<[string, object | string]>([
    ['an unknown status', { status: 'closed' }],
    ['a null status', { status: null }],
    ['a status in another case', { status: 'Active' }],
    ['a numeric name', { name: 5 }],
    ['an empty name', { name: '' }],
    ['a weak password', { password: 'short' }],
    ['a null password', { password: null }],
    ['an email', { email: 'new@example.com' }],
    ['an account_id', { account_id: null }],
    ['an updated_at', { updated_at: '2020-01-01T00:00:00.000Z' }],
    ['an array', []],
    ['a string', '"name"'],
    ['null', 'null'],
    ['broken JSON', '{"name":'],
  ])('rejects %s', async (_, change) => {
    const user = await aUser(service.api);
    const { body: before } = await user.api.get(`/v1/users/${user.id}`);
    const body = typeof change === 'string' ? change : JSON.stringify(change);
    const reply = await user.api.call('PATCH', `/v1/users/${user.id}`, body);
    expect([reply.status, reply.body.error]).toEqual([400, 'invalid_request']);
    expect((await user.api.get(`/v1/users/${user.id}`)).body).toEqual(before);
  });

  it('rejects the email of the user as the new password', async () => {
    const user = await aUser(service.api);
    expect(
      (await user.api.patch(`/v1/users/${user.id}`, { password: user.email.toUpperCase() })).status,
    ).toBe(400);
  });

  it('a new password ends the other sessions, or all sessions if an admin sets it', async () => {
    const user = await aUser(service.api);
    const other = await logIn(service.api, user.email);
    await user.api.patch(`/v1/users/${user.id}`, { password: NEW_PASSWORD });
    expect(await reads(user)).toBe(200);
    expect(await reads(other)).toBe(401);
    expect(
      (await service.api.post('/v1/auth/login', { email: user.email, password: PASSWORD })).body.error,
    ).toBe('invalid_credentials');
    await logIn(service.api, user.email, NEW_PASSWORD);
    await (await theAdmin(service.api)).api.patch(`/v1/users/${user.id}`, { password: PASSWORD });
    expect(await reads(user)).toBe(401);
    await logIn(service.api, user.email);
  });

  it.each(['suspended', 'pending'])(
    'the status %s ends all sessions and prevents login until it is active again',
    async (status) => {
      const user = await aUser(service.api);
      const other = await logIn(service.api, user.email);
      const admin = await theAdmin(service.api);
      expect((await admin.api.patch(`/v1/users/${user.id}`, { status })).body.status).toBe(status);
      expect([await reads(user), await reads(other)]).toEqual([401, 401]);
      expect((await service.api.post('/v1/auth/refresh', { refresh_token: user.refreshToken })).status).toBe(
        401,
      );
      const login = await service.api.post('/v1/auth/login', { email: user.email, password: PASSWORD });
      expect([login.status, login.body.error]).toEqual([401, 'unauthorized']);
      await admin.api.patch(`/v1/users/${user.id}`, { status: 'active' });
      expect(await reads(user)).toBe(401);
      expect(await reads(await logIn(service.api, user.email))).toBe(200);
    },
  );

  it('allows users to suspend themselves but not to reactivate themselves', async () => {
    const user = await aUser(service.api);
    expect((await user.api.patch(`/v1/users/${user.id}`, { status: 'suspended' })).body.status).toBe(
      'suspended',
    );
    expect((await user.api.patch(`/v1/users/${user.id}`, { status: 'active' })).status).toBe(401);
  });

  it('a changed role applies to existing tokens immediately', async () => {
    const user = await aUser(service.api);
    const admin = await theAdmin(service.api);
    expect((await user.api.get('/v1/accounts')).status).toBe(403);
    await admin.api.patch(`/v1/users/${user.id}`, { role: 'platform' });
    expect((await user.api.get('/v1/accounts')).status).toBe(200);
    await admin.api.patch(`/v1/users/${user.id}`, { role: 'user' });
    expect((await user.api.get('/v1/accounts')).status).toBe(403);
  });

  it.each(['admin', 'platform'])('rejects the role %s for a user linked to an account', async (role) => {
    const owner = await anOwner(service.api);
    const member = await aMember(service.api, owner);
    const admin = await theAdmin(service.api);
    for (const { id } of [owner, member]) {
      const { status, body } = await admin.api.patch(`/v1/users/${id}`, { role });
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
    expect((await member.api.get('/v1/accounts')).status).toBe(403);
  });
});

describe('DELETE /v1/users/{user_id} (interface 4.2)', () => {
  it('deletes the user permanently and ends its sessions', async () => {
    const user = await aUser(service.api);
    const other = await logIn(service.api, user.email);
    const { status, body } = await user.api.delete(`/v1/users/${user.id}`);
    expect(status).toBe(200);
    expect(body).toEqual({ message: expect.stringMatching(/./), id: user.id });
    expect([await reads(user), await reads(other)]).toEqual([401, 401]);
    expect((await service.api.post('/v1/auth/refresh', { refresh_token: user.refreshToken })).status).toBe(
      401,
    );
    const login = await service.api.post('/v1/auth/login', { email: user.email, password: PASSWORD });
    expect([login.status, login.body.error]).toEqual([401, 'invalid_credentials']);
    const admin = await theAdmin(service.api);
    expect((await admin.api.get(`/v1/users/${user.id}`)).body.error).toBe('not_found');
    expect((await admin.api.patch(`/v1/users/${user.id}`, { name: 'Ghost' })).body.error).toBe('not_found');
    const again = await admin.api.delete(`/v1/users/${user.id}`);
    expect([again.status, again.body.error]).toEqual([404, 'not_found']);
  });

  it('accepts an empty body with a JSON content type', async () => {
    const user = await aUser(service.api);
    const headers = { 'content-type': 'application/json' };
    expect((await user.api.call('DELETE', `/v1/users/${user.id}`, undefined, { headers })).status).toBe(200);
  });

  it('allows owners to delete members of their own account only', async () => {
    const owner = await anOwner(service.api);
    const member = await aMember(service.api, owner);
    const stranger = await aMember(service.api, await anOwner(service.api));
    expect((await owner.api.delete(`/v1/users/${stranger.id}`)).body.error).toBe('forbidden');
    expect(await reads(stranger)).toBe(200);
    expect((await owner.api.delete(`/v1/users/${member.id}`)).status).toBe(200);
    expect(await reads(member)).toBe(401);
  });

  it('keeps the account of a deleted owner', async () => {
    const owner = await anOwner(service.api);
    await owner.api.delete(`/v1/users/${owner.id}`);
    const admin = await theAdmin(service.api);
    expect((await admin.api.get(`/v1/accounts/${owner.accountId}`)).body.status).toBe('active');
  });
});

describe('A malformed id in the path', () => {
  const malformed = [
    '1',
    'usr_',
    'usr_1',
    ABSENT.toUpperCase(),
    `${ABSENT}0`,
    'acc_01k9x8v2t4e6rb3m5n7p9q1s0w',
    "'%20OR%201=1--",
    '%F0%9F%92%B8',
    'x'.repeat(5000),
  ];

  it.each(malformed.map((id) => [id.slice(0, 40), id]))('%s is not found', async (_, id) => {
    const admin = await theAdmin(service.api);
    for (const reply of [
      await admin.api.get(`/v1/users/${id}`),
      await admin.api.patch(`/v1/users/${id}`, { name: 'Nobody' }),
      await admin.api.delete(`/v1/users/${id}`),
      await admin.api.get(`/v1/accounts/${id.replace('acc_', 'usr_')}`),
    ]) {
      expect([reply.status, reply.body.error]).toEqual([404, 'not_found']);
    }
  });
});

/** The status of a request for the user's own data, which tells whether the token is accepted. */
async function reads({ api, id }: Person): Promise<number> {
  return (await api.get(`/v1/users/${id}`)).status;
}
