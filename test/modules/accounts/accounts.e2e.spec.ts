import {
  aMember,
  anAccount,
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
} from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ACCOUNT_ID = /^acc_[0-7][0-9a-hjkmnp-tv-z]{25}$/;
const DEFAULT_SETTINGS = { currency: 'USD', timezone: 'UTC', language: 'en' };

let service: TestService;

beforeAll(async () => {
  service = await startTestService();
});
afterAll(() => service.stop());

const newAccount = (more: object = {}) => ({
  email: someEmail(),
  password: PASSWORD,
  name: 'Lovelace Ltd',
  type: 'business',
  ...more,
});
const signUp = (more: object = {}) => service.api.post('/v1/accounts', newAccount(more));

describe('POST /v1/accounts (interface 4.3)', () => {
  it.each(['individual', 'business'])('signs up an %s without a token', async (type) => {
    const email = someEmail();
    const { status, body } = await signUp({ email, type, name: 'Ada Lovelace' });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.stringMatching(ACCOUNT_ID),
      email,
      name: 'Ada Lovelace',
      type,
      status: 'active',
      settings: DEFAULT_SETTINGS,
      created_at: expect.stringMatching(ISO),
      updated_at: body.created_at,
    });
    expect((await (await logIn(service.api, email)).api.get('/v1/account')).body).toEqual(body);
  });

  it.each([
    [{}, DEFAULT_SETTINGS],
    [{ currency: 'EUR' }, { ...DEFAULT_SETTINGS, currency: 'EUR' }],
    [{ currency: 'XCG' }, { ...DEFAULT_SETTINGS, currency: 'XCG' }],
    [
      { timezone: 'Europe/Berlin', language: 'de-DE' },
      { ...DEFAULT_SETTINGS, timezone: 'Europe/Berlin', language: 'de-DE' },
    ],
    [
      { currency: 'JPY', timezone: 'Asia/Tokyo', language: 'ja' },
      { currency: 'JPY', timezone: 'Asia/Tokyo', language: 'ja' },
    ],
  ])('accepts the settings %j', async (settings, whole) => {
    expect((await signUp({ settings })).body.settings).toEqual(whole);
  });

  it('returns the email unchanged and compares it case-insensitively with other accounts', async () => {
    const email = `Books.${someEmail()}`;
    expect((await signUp({ email })).body.email).toBe(email);
    for (const variant of [email, email.toLowerCase(), email.toUpperCase()]) {
      const { status, body } = await signUp({ email: variant });
      expect([status, body.error]).toEqual([409, 'email_exists']);
    }
    expect((await service.api.post('/v1/users', { email, password: PASSWORD })).status).toBe(201);
  });

  it.each<[string, object]>([
    ['no email', { email: undefined }],
    ['an email that is none', { email: 'books' }],
    ['no name', { name: undefined }],
    ['a name of null', { name: null }],
    ['an empty name', { name: '' }],
    ['a name of 256 characters', { name: 'x'.repeat(256) }],
    ['no type', { type: undefined }],
    ['an unknown type', { type: 'charity' }],
    ['a type in another case', { type: 'Business' }],
    ['no password', { password: undefined }],
    ['a short password', { password: 'xq7!kd2' }],
    ['a common password', { password: 'password123' }],
    ['the email as password', { email: 'books@example.com', password: 'Books@example.com' }],
    ['settings of null', { settings: null }],
    ['settings in a list', { settings: [] }],
    ['an unknown setting', { settings: { colour: 'blue' } }],
    ['a currency of null', { settings: { currency: null } }],
    ['a currency in lower case', { settings: { currency: 'usd' } }],
    ['a currency that there is not', { settings: { currency: 'ABC' } }],
    ['a timezone that there is not', { settings: { timezone: 'Mars/Olympus' } }],
    ['an offset for a timezone', { settings: { timezone: '+02:00' } }],
    ['an empty timezone', { settings: { timezone: '' } }],
    ['a language that is none', { settings: { language: 'not a language' } }],
    ['a language with an underscore', { settings: { language: 'en_US' } }],
    ['an empty language', { settings: { language: '' } }],
    ['a language of a number', { settings: { language: 1 } }],
    ['a status', { status: 'active' }],
  ])('rejects %s', async (_, wrong) => {
    const before = await service.sql('SELECT count(*) FROM accounts');
    const { status, body } = await signUp(wrong);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect(await service.sql('SELECT count(*) FROM accounts')).toEqual(before);
  });

  it('rejects an invalid token, although none is required', async () => {
    const { status, body } = await service.api.as('nonsense').post('/v1/accounts', newAccount());
    expect([status, body.error]).toEqual([401, 'unauthorized']);
  });
});

describe('The owner of a new account', () => {
  it('is the user who creates it without having one, immediately in all sessions', async () => {
    const user = await aUser(service.api);
    const elsewhere = await logIn(service.api, user.email);
    const account = await created(user.api, '/v1/accounts', newAccount());
    for (const { api } of [user, elsewhere, await logIn(service.api, user.email)]) {
      expect((await api.patch('/v1/account', { name: 'Mine' })).body.id).toBe(account.id);
    }
  });

  it('is also the account itself, with its own email and password', async () => {
    const user = await aUser(service.api);
    const body = newAccount();
    const account = await created(user.api, '/v1/accounts', body);
    const { api } = await logIn(service.api, body.email);
    expect((await api.patch('/v1/account', { name: 'Mine' })).body.id).toBe(account.id);
  });

  it.each(['member', 'owner', 'account', 'platform', 'admin'])(
    'is not the caller with a token of: %s',
    async (who) => {
      const owner = await anOwner(service.api);
      const caller: Person = await {
        member: () => aMember(service.api, owner),
        owner: async () => owner,
        account: () => anAccount(service.api),
        platform: () => anOperator(service.api, 'platform'),
        admin: () => anOperator(service.api, 'admin'),
      }[who]!();
      const before = (await caller.api.get('/v1/account')).body;
      const account = await created(caller.api, '/v1/accounts', newAccount());
      expect(account.id).not.toBe(before.id);
      expect((await caller.api.get('/v1/account')).body).toEqual(before);
      expect(await service.sql('SELECT 1 FROM users WHERE account_id = $1', [account.id])).toEqual([]);
    },
  );

  it('is linked to one of two accounts that the user creates concurrently', async () => {
    const user = await aUser(service.api);
    const made = await Promise.all([1, 2, 3, 4].map(() => created(user.api, '/v1/accounts', newAccount())));
    const { body } = await user.api.get('/v1/account');
    expect(made.map(({ id }) => id)).toContain(body.id);
    expect(await service.sql('SELECT account_id FROM users WHERE id = $1', [user.id])).toEqual([
      { account_id: body.id },
    ]);
  });
});

describe('GET /v1/accounts (interface 4.3)', () => {
  let admin: Person;
  let all: { id: string; type: string; status: string; created_at: string }[];
  let own: TestService;

  beforeAll(async () => {
    own = await startTestService();
    admin = await theAdmin(own.api);
    for (const [minutes, type, status] of [
      [-3000, 'individual', 'active'],
      [1000, 'business', 'suspended'],
      [500, 'business', 'pending'],
      [500, 'individual', 'closed'],
      [500, 'business', 'active'],
    ] as const) {
      own.clock.move({ minutes });
      const admin = await theAdmin(own.api);
      const { id } = await created(own.api, '/v1/accounts', newAccount({ type }));
      if (status === 'closed') await admin.api.delete(`/v1/accounts/${id}`);
      else if (status !== 'active') await admin.api.patch(`/v1/accounts/${id}`, { status });
    }
    own.clock.move({ minutes: 500 });
    admin = await theAdmin(own.api);
    all = (await admin.api.get('/v1/accounts')).body.data;
  });
  afterAll(() => own.stop());

  const list = async (query: string) => (await admin.api.get(`/v1/accounts${query}`)).body;
  const idsOf = ({ data }: { data: { id: string }[] }) => data.map(({ id }) => id);

  it('lists them newest first, without settings', async () => {
    const body = await list('');
    expect(body.pagination).toEqual({ page: 1, limit: 25, total: 5, has_next: false });
    expect(all.map(({ type, status }) => `${type} ${status}`)).toEqual([
      'business active',
      'individual closed',
      'business pending',
      'business suspended',
      'individual active',
    ]);
    expect(Object.keys(all[0]!).toSorted()).toEqual([
      'created_at',
      'email',
      'id',
      'name',
      'status',
      'type',
      'updated_at',
    ]);
    expect(all.map((item) => item.created_at)).toEqual(
      all
        .map((item) => item.created_at)
        .toSorted()
        .toReversed(),
    );
  });

  it('shows with view=full the settings and the balance as well, also in an export', async () => {
    const account = all.find(({ status, type }) => status === 'active' && type === 'business')!;
    const post = (type: string, amount: number, metadata: object) =>
      created(admin.api, '/v1/transactions', aTransaction(account.id, { type, amount, metadata }));
    await post('credit', 5_000, { sandbox_outcome: 'succeeded' });
    await post('refund', 1_250, { sandbox_outcome: 'pending' });
    await post('payment', 70, { sandbox_outcome: 'pending' });
    const { settings } = (await admin.api.get(`/v1/accounts/${account.id}`)).body;
    const [short] = (await list(`?id=${account.id}`)).data;
    const full = { ...short, settings, balance: { posted: 5_000, held: 1_250, available: 3_750 } };
    expect((await list(`?id=${account.id}&view=full`)).data).toEqual([full]);
    const { data } = await list('?view=full');
    expect(data.filter(({ id }: any) => id === account.id)).toEqual([full]);
    for (const { balance, ...others } of data.filter(({ id }: any) => id !== account.id)) {
      expect(balance).toEqual({ posted: 0, held: 0, available: 0 });
      expect(Object.keys(others)).toContain('settings');
    }
    const { text } = await admin.api.get(`/v1/accounts?id=${account.id}&format=csv`);
    expect(text).toContain('""available"":3750');
  });

  it.each([1, 2, 3, 4, 5, 6, 100])(
    'returns all accounts in pages of %i, with an exact has_next',
    async (limit) => {
      const walked: string[] = [];
      for (let page = 1; ; page += 1) {
        const body = await list(`?page=${page}&limit=${limit}`);
        walked.push(...idsOf(body));
        expect(body.pagination).toEqual({ page, limit, total: 5, has_next: walked.length < 5 });
        if (!body.pagination.has_next) break;
      }
      expect(walked).toEqual(all.map(({ id }) => id));
    },
  );

  it('returns no accounts for a page past the end', async () => {
    expect(await list('?page=7')).toEqual({
      data: [],
      pagination: { page: 7, limit: 25, total: 5, has_next: false },
    });
  });

  it.each([
    ['status=active', [0, 4]],
    ['status=suspended', [3]],
    ['status=pending', [2]],
    ['status=closed', [1]],
    ['type=individual', [1, 4]],
    ['type=business', [0, 2, 3]],
    ['type=business&status=active', [0]],
  ])('filters by %s', async (query, expected) => {
    const body = await list(`?${query}`);
    expect(idsOf(body)).toEqual(expected.map((index) => all[index]!.id));
    expect(body.pagination.total).toBe(expected.length);
  });

  it('filters by creation time with inclusive bounds, to the millisecond', async () => {
    const at = all[2]!.created_at;
    const shifted = (ms: number) => new Date(Date.parse(at) + ms).toISOString();
    expect(idsOf(await list(`?created_after=${at}`))).toEqual(all.slice(0, 3).map(({ id }) => id));
    expect(idsOf(await list(`?created_before=${at}`))).toEqual(all.slice(2).map(({ id }) => id));
    expect(idsOf(await list(`?created_after=${at}&created_before=${at}`))).toEqual([all[2]!.id]);
    expect(idsOf(await list(`?created_after=${shifted(1)}`))).toEqual(all.slice(0, 2).map(({ id }) => id));
    expect(idsOf(await list(`?created_before=${shifted(-1)}`))).toEqual(all.slice(3).map(({ id }) => id));
    const below = at.replace('Z', '9Z');
    expect(idsOf(await list(`?created_after=${below}`))).toEqual(all.slice(0, 2).map(({ id }) => id));
    expect(idsOf(await list(`?created_before=${below}`))).toEqual(all.slice(2).map(({ id }) => id));
    const berlin = encodeURIComponent(
      `${new Date(Date.parse(at) + 7_200_000).toISOString().replace('Z', '+02:00')}`,
    );
    expect(idsOf(await list(`?created_after=${berlin}&created_before=${berlin}`))).toEqual([all[2]!.id]);
  });

  it('treats a date without a time as the whole UTC day', async () => {
    const day = all[2]!.created_at.slice(0, 10);
    const ofDay = all.filter((item) => item.created_at.startsWith(day)).map(({ id }) => id);
    expect(idsOf(await list(`?created_after=${day}&created_before=${day}`))).toEqual(ofDay);
  });

  it.each([
    'page=0',
    'page=-1',
    'page=1.5',
    'page=x',
    'page=',
    'limit=0',
    'limit=101',
    'limit=',
    'limit=1.0',
    'status=open',
    'status=',
    'type=charity',
    'type=',
    'view=short',
    'created_after=yesterday',
    'created_after=2026-02-30',
    'created_after=2026-01-01T10:00:00',
    'created_before=',
    'created_before=1767225600',
    'created_before=2026-13-01',
    'page=1&page=2',
    'limit=1&limit=1',
    'type=business&type=business',
    'created_after=2026-01-01&created_after=2026-01-01',
    'search=x',
    'sort=name',
    'status[]=active',
    '__proto__=1',
  ])('rejects ?%s', async (query) => {
    const { status, body } = await admin.api.get(`/v1/accounts?${query}`);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });
});

describe('PATCH /v1/account (interface 4.3)', () => {
  it('changes only the given members', async () => {
    const account = await anAccount(service.api);
    const { body: before } = await account.api.get('/v1/account');
    const { status, body } = await account.api.patch('/v1/account', { name: 'King Ltd' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, name: 'King Ltd', updated_at: expect.stringMatching(ISO) });
    expect(body.updated_at > before.updated_at).toBe(true);
    expect((await account.api.get('/v1/account')).body).toEqual(body);
  });

  it('merges the settings', async () => {
    const account = await anAccount(service.api, { currency: 'EUR' });
    const settings = async (change: object) =>
      (await account.api.patch('/v1/account', { settings: change })).body.settings;
    expect(await settings({ timezone: 'Europe/Berlin' })).toEqual({
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      language: 'en',
    });
    expect(await settings({ language: 'pt-BR' })).toEqual({
      currency: 'EUR',
      timezone: 'Europe/Berlin',
      language: 'pt-BR',
    });
    expect(await settings({})).toEqual({ currency: 'EUR', timezone: 'Europe/Berlin', language: 'pt-BR' });
    expect(await settings({ currency: 'GBP' })).toEqual({
      currency: 'GBP',
      timezone: 'Europe/Berlin',
      language: 'pt-BR',
    });
  });

  it('changes nothing for {}', async () => {
    const account = await anAccount(service.api);
    const { body: before } = await account.api.get('/v1/account');
    expect(await account.api.patch('/v1/account', {})).toMatchObject({ status: 200, body: before });
    expect((await account.api.get('/v1/account')).body).toEqual(before);
  });

  it('advances updated_at with each change, also when the clock steps back', async () => {
    const account = await anAccount(service.api);
    const stamps = [(await account.api.get('/v1/account')).body.updated_at];
    try {
      for (const [minutes, change] of [
        [0, { name: 'One' }],
        [-10, { name: 'Two' }],
        [0, { settings: { language: 'fr' } }],
        [0, { email: someEmail() }],
        [25, { name: 'One' }],
      ] as const) {
        service.clock.move({ minutes });
        stamps.push((await account.api.patch('/v1/account', change)).body.updated_at);
      }
      expect(stamps).toEqual([...new Set(stamps)].toSorted());
    } finally {
      service.clock.move({ minutes: -15 });
    }
  });

  it('changes the email that the account signs in with, and keeps the session', async () => {
    const account = await anAccount(service.api);
    const email = `New.${someEmail()}`;
    expect((await account.api.patch('/v1/account', { email })).body.email).toBe(email);
    expect((await account.api.get('/v1/account')).body.email).toBe(email);
    expect((await logIn(service.api, email.toLowerCase())).id).toBe(account.accountId);
    expect(
      (await service.api.post('/v1/auth/login', { email: account.email, password: PASSWORD })).body.error,
    ).toBe('invalid_credentials');
    expect((await signUp({ email: account.email })).status).toBe(201);
    expect((await signUp({ email })).status).toBe(409);
  });

  it('accepts the same email in another case, and rejects a used one together with the other changes', async () => {
    const account = await anAccount(service.api);
    const other = await anAccount(service.api);
    expect((await account.api.patch('/v1/account', { email: account.email.toUpperCase() })).body.email).toBe(
      account.email.toUpperCase(),
    );
    const { body: before } = await account.api.get('/v1/account');
    const { status, body } = await account.api.patch('/v1/account', {
      name: 'Thief',
      email: other.email.toUpperCase(),
    });
    expect([status, body.error]).toEqual([409, 'email_exists']);
    expect((await account.api.get('/v1/account')).body).toEqual(before);
  });

  it.each<[string, object]>([
    ['a name of null', { name: null }],
    ['an empty name', { name: '' }],
    ['an email that is none', { email: 'books' }],
    ['an email of null', { email: null }],
    ['settings of null', { settings: null }],
    ['an unknown setting', { settings: { colour: 'blue' } }],
    ['a currency in lower case', { settings: { currency: 'eur' } }],
    ['a currency that there is not', { settings: { currency: 'ZZZ' } }],
    ['a timezone that there is not', { settings: { timezone: 'Berlin' } }],
    ['a language that is none', { settings: { language: 'x' } }],
    ['a type', { type: 'individual' }],
    ['a password', { password: 'another long enough one' }],
    ['a status', { status: 'active' }],
    ['a list', []],
  ])('rejects %s', async (_, wrong) => {
    const account = await anAccount(service.api);
    const { body: before } = await account.api.get('/v1/account');
    const { status, body } = await account.api.patch('/v1/account', wrong);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    expect((await account.api.get('/v1/account')).body).toEqual(before);
  });

  it.each([
    ['/v1/transactions', { type: 'payment' }],
    ['/v1/transactions', { type: 'credit' }],
    ['/v1/payments', { customer_email: 'customer@example.com' }],
    ['/v1/subscriptions', { customer_email: 'customer@example.com', interval: 'month' }],
  ])('rejects another currency after POST %s %j', async (path, more) => {
    const account = await anAccount(service.api);
    const order = { account_id: account.accountId, amount: 5 };
    expect((await account.api.post(path, { ...order, currency: 'EUR', ...more })).status).toBe(400);
    expect((await account.api.patch('/v1/account', { settings: { currency: 'CHF' } })).status).toBe(200);
    const { id } = await created(account.api, path, { ...order, currency: 'CHF', ...more });
    await account.api.delete(`${path}/${id}`);
    const { status, body } = await account.api.patch('/v1/account', {
      name: 'New',
      settings: { currency: 'USD' },
    });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    const again = await account.api.patch('/v1/account', { settings: { currency: 'CHF', language: 'de' } });
    expect(again.body).toMatchObject({ name: 'Lovelace Ltd', settings: { currency: 'CHF', language: 'de' } });
  });
});

describe('Operators', () => {
  let admin: Person;
  let account: Owner;

  beforeEach(async () => {
    admin = await theAdmin(service.api);
    account = await anAccount(service.api);
  });

  const path = () => `/v1/accounts/${account.accountId}`;

  it('retrieve and update any account', async () => {
    const { body: before } = await account.api.get('/v1/account');
    expect((await admin.api.get(path())).body).toEqual(before);
    const email = someEmail();
    const { body } = await admin.api.patch(path(), {
      email,
      name: 'King Ltd',
      settings: { language: 'fr' },
      status: 'pending',
    });
    expect(body).toEqual({
      ...before,
      email,
      name: 'King Ltd',
      status: 'pending',
      settings: { ...DEFAULT_SETTINGS, language: 'fr' },
      updated_at: expect.stringMatching(ISO),
    });
    expect((await account.api.get('/v1/account')).body).toEqual(body);
    expect((await admin.api.patch(path(), {})).body).toEqual(body);
  });

  it.each(['closed', 'open', null, 'ACTIVE'])('cannot set the status %s', async (status) => {
    expect((await admin.api.patch(path(), { status })).body.error).toBe('invalid_request');
  });

  it('suspend an account: all sessions end, including those of members; new sessions can read but not create', async () => {
    const member = await aMember(service.api, account);
    const transaction = await created(account.api, '/v1/transactions', order('payment'));
    expect((await admin.api.patch(path(), { status: 'suspended' })).body.status).toBe('suspended');
    for (const person of [account, member]) {
      expect((await person.api.get('/v1/account')).status).toBe(401);
      expect(
        (await service.api.post('/v1/auth/refresh', { refresh_token: person.refreshToken })).status,
      ).toBe(401);
      const { api } = await logIn(service.api, person.email);
      expect((await api.get('/v1/account')).body.status).toBe('suspended');
      expect((await api.get(`/v1/transactions/${transaction.id}`)).status).toBe(200);
      expect((await api.get('/v1/transactions')).body.data).toHaveLength(1);
      await expectCreationsRejected(api, ['payment', 'credit', 'refund', 'request']);
    }
    await expectCreationsRejected(admin.api, ['payment', 'credit', 'refund', 'request']);
  });

  it('suspend an account: its users change no name, email and member, but a password and the closing are allowed', async () => {
    const member = await aMember(service.api, account);
    await admin.api.patch(path(), { status: 'suspended' });
    const [owner, user] = [await logIn(service.api, account.email), await logIn(service.api, member.email)];
    const rejected = [
      ...(await Promise.all(
        [owner, user].map(({ api }) =>
          api.post('/v1/auth/email', { current_password: PASSWORD, email: someEmail() }),
        ),
      )),
      await owner.api.post('/v1/users', { email: someEmail(), password: PASSWORD }),
      await owner.api.delete(`/v1/users/${member.id}`),
      await user.api.delete(`/v1/users/${member.id}`),
      await user.api.patch(`/v1/users/${member.id}`, { name: 'Grace Hopper' }),
      await user.api.patch(`/v1/users/${member.id}`, { status: 'pending' }),
    ];
    expect(rejected.map(({ status, body }) => [status, body.error])).toEqual(
      Array(rejected.length).fill([403, 'forbidden']),
    );
    const password = 'another horse battery';
    const allowed = [
      await user.api.post('/v1/auth/password', { current_password: PASSWORD, password }),
      await user.api.patch(`/v1/users/${member.id}`, { password: PASSWORD }),
      await admin.api.delete(`/v1/users/${member.id}`),
      await owner.api.delete('/v1/account'),
    ];
    expect(allowed.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
  });

  it('suspend an account: in production, only they can close it, until it is no longer suspended', async () => {
    const production = await service.replica({ CLOSE_SUSPENDED_ACCOUNTS: 'false' });
    try {
      await admin.api.patch(path(), { status: 'suspended' });
      const owner = await logIn(production.api, account.email);
      const { status, body } = await owner.api.delete('/v1/account');
      expect([status, body]).toEqual([
        403,
        { error: 'forbidden', message: expect.stringContaining('Contact the operator') },
      ]);
      expect((await admin.api.patch(path(), { status: 'pending' })).body.status).toBe('pending');
      expect((await owner.api.delete('/v1/account')).status).toBe(200);

      const held = `/v1/accounts/${(await anAccount(service.api)).accountId}`;
      await admin.api.patch(held, { status: 'suspended' });
      const { api } = await theAdmin(production.api);
      expect((await api.delete(held)).body.status).toBe('closed');
    } finally {
      await production.stop();
    }
  });

  it('suspend a user: the owner can neither act with the old token nor sign in, and the account stays open', async () => {
    const owner = await anOwner(service.api);
    await admin.api.patch(`/v1/users/${owner.id}`, { status: 'suspended' });
    expect((await owner.api.delete('/v1/account')).status).toBe(401);
    const login = await service.api.post('/v1/auth/login', { email: owner.email, password: PASSWORD });
    expect(login.body.error).toBe('unauthorized');
    expect((await admin.api.get(`/v1/accounts/${owner.accountId}`)).body.status).toBe('active');
  });

  it('set an account to pending: it accepts payments and credits but no refunds, and sessions continue', async () => {
    await created(account.api, '/v1/transactions', order('credit'));
    await admin.api.patch(path(), { status: 'pending' });
    await created(account.api, '/v1/transactions', order('payment'));
    await created(account.api, '/v1/transactions', order('credit'));
    await created(account.api, '/v1/payments', request());
    await expectCreationsRejected(account.api, ['refund']);
    await admin.api.patch(path(), { status: 'active' });
    await created(account.api, '/v1/transactions', order('refund'));
  });

  it('cannot change a closed account', async () => {
    await admin.api.delete(path());
    for (const change of [{ status: 'active' }, { name: 'New' }, { email: someEmail() }]) {
      const { status, body } = await admin.api.patch(path(), change);
      expect([status, body.error]).toEqual([409, 'conflict']);
    }
  });

  const order = (type: string) => ({ account_id: account.accountId, amount: 5, currency: 'USD', type });
  const request = () => ({
    account_id: account.accountId,
    amount: 5,
    currency: 'USD',
    customer_email: 'c@example.com',
  });

  async function expectCreationsRejected(api: Person['api'], kinds: string[]): Promise<void> {
    for (const kind of kinds) {
      const reply =
        kind === 'request'
          ? await api.post('/v1/payments', request())
          : await api.post('/v1/transactions', order(kind));
      expect([kind, reply.status, reply.body.error]).toEqual([kind, 403, 'forbidden']);
    }
  }
});

describe('Closing an account (interface 3.2)', () => {
  it('cancels pending items, deletes the linked users, ends all sessions and returns the remaining balance', async () => {
    const owner = await anOwner(service.api, { currency: 'EUR' });
    const member = await aMember(service.api, owner);
    const operator = await anOperator(service.api, 'platform');
    const order = { account_id: owner.accountId, amount: 70, currency: 'EUR' };
    const pending = await created(owner.api, '/v1/transactions', { ...order, type: 'payment' });
    const settled = await created(owner.api, '/v1/transactions', { ...order, type: 'credit' });
    await created(owner.api, '/v1/transactions', { ...order, amount: 20, type: 'refund' });
    const request_ = await created(owner.api, '/v1/payments', { ...order, customer_email: 'c@example.com' });
    const { email } = (await owner.api.get('/v1/account')).body;
    const account = await logIn(service.api, email);

    const { status, body } = await owner.api.delete('/v1/account');
    expect(status).toBe(200);
    expect(body).toEqual({
      id: owner.accountId,
      status: 'closed',
      closed_at: expect.stringMatching(ISO),
      message: expect.stringMatching(/\b50\b.*EUR/),
    });

    for (const { api, refreshToken } of [owner, member, account]) {
      expect((await api.get('/v1/account')).status).toBe(401);
      expect((await service.api.post('/v1/auth/refresh', { refresh_token: refreshToken })).status).toBe(401);
    }
    for (const person of [owner, member]) {
      const login = await service.api.post('/v1/auth/login', { email: person.email, password: PASSWORD });
      expect(login.body.error).toBe('invalid_credentials');
      expect((await operator.api.get(`/v1/users/${person.id}`)).status).toBe(404);
      expect((await service.api.post('/v1/users', { email: person.email, password: PASSWORD })).status).toBe(
        201,
      );
    }
    const login = await service.api.post('/v1/auth/login', { email, password: PASSWORD });
    expect([login.status, login.body.error]).toEqual([401, 'unauthorized']);
    expect((await signUp({ email: email.toUpperCase() })).body.error).toBe('email_exists');

    const read = async (path: string) => (await operator.api.get(path)).body;
    expect(await read(`/v1/accounts/${owner.accountId}`)).toMatchObject({
      status: 'closed',
      email,
      updated_at: body.closed_at,
    });
    expect((await read(`/v1/transactions/${pending.id}`)).status).toBe('canceled');
    expect((await read(`/v1/transactions/${settled.id}`)).status).toBe('succeeded');
    expect((await read(`/v1/payments/${request_.id}`)).status).toBe('canceled');
    expect(
      await service.sql('SELECT posted, held, pending_in FROM accounts WHERE id = $1', [owner.accountId]),
    ).toEqual([{ posted: '50', held: '0', pending_in: '0' }]);
  });

  it('succeeds once', async () => {
    const account = await anAccount(service.api);
    const admin = await theAdmin(service.api);
    const first = await admin.api.delete(`/v1/accounts/${account.accountId}`);
    expect(first.body).toMatchObject({
      id: account.accountId,
      status: 'closed',
      message: expect.stringMatching(/\b0\b.*USD/),
    });
    const second = await admin.api.delete(`/v1/accounts/${account.accountId}`);
    expect([second.status, second.body.error]).toEqual([409, 'conflict']);
    expect((await admin.api.get(`/v1/accounts/${account.accountId}`)).body.updated_at).toBe(
      first.body.closed_at,
    );
    expect((await account.api.delete('/v1/account')).status).toBe(401);
  });

  it("allows only an admin's refund of the remaining balance", async () => {
    const account = await anAccount(service.api);
    const order = { account_id: account.accountId, amount: 30, currency: 'USD' };
    await created(account.api, '/v1/transactions', { ...order, type: 'credit' });
    await account.api.delete('/v1/account');
    const admin = await theAdmin(service.api);
    const platform = await anOperator(service.api, 'platform');
    for (const { api } of [admin, platform]) {
      for (const type of ['payment', 'credit'])
        expect((await api.post('/v1/transactions', { ...order, type })).status).toBe(403);
      expect((await api.post('/v1/payments', { ...order, customer_email: 'c@example.com' })).status).toBe(
        403,
      );
    }
    expect((await platform.api.post('/v1/transactions', { ...order, type: 'refund' })).status).toBe(403);
    expect((await admin.api.post('/v1/transactions', { ...order, type: 'refund' })).status).toBe(201);
    expect((await admin.api.post('/v1/transactions', { ...order, type: 'refund' })).body.error).toBe(
      'insufficient_funds',
    );
  });

  it('keeps an unlinked user with the same email and password', async () => {
    const account = await anAccount(service.api);
    await created(service.api, '/v1/users', { email: account.email, password: PASSWORD });
    const both = await logIn(service.api, account.email);
    expect((await both.api.get('/v1/account')).body.id).toBe(account.accountId);
    expect((await both.api.delete('/v1/account')).status).toBe(200);
    expect((await both.api.get('/v1/account')).status).toBe(401);
    expect((await (await logIn(service.api, account.email)).api.get('/v1/account')).status).toBe(403);
  });
});
