import { createHash } from 'node:crypto';
import { coreScopes } from '../../../../src/modules/auth/domain/api-key-check';
import { ApiScopes } from '../../../../src/platform/config/api-scopes';
import { Api } from '../../../support/api';
import { documentedOperations, pathOf } from '../../../support/operations';
import { aMember, anOwner, created, logIn, Owner, theAdmin } from '../../../support/people';
import { aPaymentRequest, aTransaction } from '../../../support/request-bodies';
import { startTestService, TestService } from '../../../support/service';
import { until } from '../../../support/until';

/** Operations that need a token and that API keys cannot call. A new operation names a scope, or is listed here. */
const closedToKeys = [
  ...['createApiKey', 'listApiKeys', 'revokeApiKey'],
  ...[
    'changePassword',
    'changeEmail',
    'listOwnEmails',
    'requestEmailVerification',
    'listSessions',
    'endSession',
  ],
  ...['listUserSessions', 'listAccountSessions', 'endUserSessions', 'endAccountSessions'],
  ...['endUserSession', 'endAccountSession'],
  ...['getSecondFactor', 'enrolSecondFactor', 'confirmSecondFactor', 'replaceRecoveryCodes'],
  ...['disableSecondFactor', 'resetSecondFactorOfUser', 'resetSecondFactorOfAccount'],
  ...['createUser', 'listUsers', 'getUser', 'inviteUser', 'inviteAccount', 'updateUser', 'deleteUser'],
  ...[
    'createAccount',
    'updateAccount',
    'closeAccount',
    'updateOwnAccount',
    'updateOwnVersion',
    'closeOwnAccount',
  ],
  ...['listAuditLog', 'getAuditEntry', 'expireWebhookSecret'],
  ...['createAccountNote', 'listAccountNotes', 'deleteAccountNote'],
  ...['createUserNote', 'listUserNotes', 'deleteUserNote'],
  ...['createSavedView', 'listSavedViews', 'deleteSavedView'],
  ...[
    'createAdjustment',
    'requestApproval',
    'listApprovals',
    'getApproval',
    'approveApproval',
    'rejectApproval',
  ],
];

describe('API keys', () => {
  let service: TestService;
  let replica: TestService;
  let owner: Owner;
  let admin: Api;

  beforeAll(async () => {
    service = await startTestService();
    replica = await service.replica();
    owner = await anOwner(service.api);
    admin = (await theAdmin(service.api)).api;
  });
  afterAll(async () => {
    await replica?.stop();
    await service?.stop();
  });

  const create = (api: Api, members: object = {}) =>
    created(api, '/v1/api-keys', { name: 'Web shop', ...members });
  const withKey = async (members: object = {}, of = owner): Promise<Api> =>
    service.api.as((await create(of.api, members)).key);

  it('are shown once, stored as a hash and recognized by their last four characters', async () => {
    const { key, ...shown } = await create(owner.api, { scopes: ['payments:read'] });
    expect(key).toMatch(/^ch_[0-9A-Za-z]{43}$/);
    expect(shown).toEqual({
      id: expect.stringMatching(/^key_/),
      account_id: owner.accountId,
      version: '2026-11-26',
      role: 'user',
      name: 'Web shop',
      last_four: key.slice(-4),
      scopes: ['payments:read'],
      allowed_addresses: [],
      created_at: expect.any(String),
      last_used_at: null,
      expires_at: null,
    });
    const listed = (await owner.api.get('/v1/api-keys')).body.data;
    expect(listed[0]).toEqual(shown);
    const [row] = await service.sql<{ hash: string }>('SELECT * FROM api_keys WHERE id = $1', [shown.id]);
    expect(row!.hash).toBe(createHash('sha256').update(key).digest('base64url'));
    await service.api.as(key).get('/v1/payments');
    expect(JSON.stringify([row, service.logged])).not.toContain(key);
  });

  it('differ, and have 256 random bits in 43 characters', async () => {
    const secrets = [];
    for (let count = 0; count < 5; count += 1) secrets.push((await create(owner.api)).key);
    expect(new Set(secrets).size).toBe(5);
    expect(Math.log2(62 ** 43)).toBeGreaterThan(256);
  });

  it('are not created again by a repeat, which is a conflict with the id of the key', async () => {
    const headers = { 'Idempotency-Key': 'web shop' };
    const first = await owner.api.post('/v1/api-keys', { name: 'Web shop' }, { headers });
    const repeat = await owner.api.post('/v1/api-keys', { name: 'Web shop' }, { headers });
    expect([first.status, repeat.status, repeat.body.error]).toEqual([201, 409, 'conflict']);
    expect(repeat.body.message).toContain(first.body.id);
    const stored = await service.sql(
      `SELECT response FROM account_idempotency_records WHERE key = 'web shop'`,
    );
    expect(stored).toEqual([{ response: first.body.id }]);
  });

  it('act as a member of their account', async () => {
    const api = await withKey();
    const [account, other] = [owner.accountId, (await anOwner(service.api)).accountId];
    const { id } = await created(api, '/v1/transactions', aTransaction(account));
    expect((await api.get(`/v1/transactions/${id}`)).status).toBe(200);
    expect((await api.get('/v1/account')).body.id).toBe(account);
    expect((await api.post('/v1/transactions', aTransaction(other))).status).toBe(404);
    expect((await api.get('/v1/accounts')).status).toBe(403);
  });

  it('own their idempotency keys', async () => {
    const headers = { 'Idempotency-Key': 'order-7' };
    const [one, other] = [await withKey(), await withKey()];
    const send = (api: Api) => api.post('/v1/transactions', aTransaction(owner.accountId), { headers });
    const [first, repeat, separate] = [await send(one), await send(one), await send(other)];
    expect(repeat.text).toBe(first.text);
    expect(separate.body.id).not.toBe(first.body.id);
  });

  it('are rejected by every operation without a scope, and by the others without theirs', async () => {
    const operations = (await documentedOperations(service.url)).filter((one) => !one.public);
    const closed = operations.filter(({ keyScopes }) => keyScopes.length === 0).map(({ id }) => id);
    expect(closed.toSorted()).toEqual(closedToKeys.toSorted());
    const scopes = new ApiScopes(coreScopes);
    const all = await withKey();
    const without = new Map<string, Api>();
    for (const operation of operations) {
      const { id, method, keyScopes } = operation;
      if (keyScopes.includes('account:read')) continue; // which every key has
      const others = scopes.names.filter(
        (scope) => !keyScopes.some((one) => scopes.effective([scope]).includes(one)),
      );
      if (!without.has(others.join())) without.set(others.join(), await withKey({ scopes: others }));
      const api = keyScopes.length === 0 ? all : without.get(others.join())!;
      const { status, body } = await api.call(method, pathOf(operation, 'none'));
      expect([id, status, body.error]).toEqual([id, 403, 'forbidden']);
      const verb = method === 'GET' ? 'read' : 'write';
      for (const scope of keyScopes) expect([id, scope.split(':')[1]]).toEqual([id, verb]);
    }
  });

  it('with narrow scopes of transactions write only those of their types', async () => {
    const api = {
      credits: await withKey({ scopes: ['credits:write'] }),
      refunds: await withKey({ scopes: ['refunds:write'] }),
    };
    const create = (by: Api, type: string) =>
      by.post(
        '/v1/transactions',
        aTransaction(owner.accountId, { type, metadata: { sandbox_outcome: 'pending' } }),
      );
    await created(
      owner.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'credit', amount: 5000 }),
    );
    const [credit, refund] = [await create(api.credits, 'credit'), await create(api.refunds, 'refund')];
    expect([credit.status, refund.status]).toEqual([201, 201]);
    for (const [by, type] of [
      ['credits', 'refund'],
      ['refunds', 'credit'],
      ['credits', 'payment'],
      ['refunds', 'payment'],
    ] as const) {
      const { status, body } = await create(api[by], type);
      const sufficient = type === 'payment' ? '' : ` or ${type}s:write`;
      expect([status, body.message]).toEqual([
        403,
        `The API key lacks the scope transactions:write${sufficient}. Use a key that has it.`,
      ]);
    }
    const path = `/v1/transactions/${credit.body.id}`;
    for (const { status } of [
      await api.refunds.delete(path),
      await api.refunds.patch(path, { reference: 'mine' }),
    ])
      expect(status).toBe(403);
    expect((await owner.api.get(path)).body).toMatchObject({ status: 'pending', reference: null });
    expect((await api.credits.patch(path, { reference: 'mine' })).status).toBe(200);
    expect((await api.credits.delete(path)).status).toBe(200);
    expect((await api.credits.get(path)).status).toBe(403);
  });

  it('read no events where their scopes show none', async () => {
    const api = await withKey({ scopes: ['events:read', 'refunds:write'] });
    const { status, body } = await api.get('/v1/events');
    expect([status, body.data]).toEqual([200, []]);
  });

  it('of a platform system with a narrow scope report no outcomes', async () => {
    const { key } = await created(admin, '/v1/api-keys', {
      name: 'Rails',
      role: 'platform',
      scopes: ['payment_requests:write'],
    });
    const request = await created(owner.api, '/v1/payments', aPaymentRequest(owner.accountId));
    const settled = await service.api
      .as(key)
      .post(`/v1/payments/${request.id}/settlement`, { outcome: 'succeeded', amount: 1250 });
    expect([settled.status, settled.body.error]).toEqual([403, 'forbidden']);
  });

  it('ask for money and read what happened with scopes that move none', async () => {
    const api = await withKey({ scopes: ['payment_requests:write', 'payment_requests:read', 'events:read'] });
    const { id } = (await api.get('/v1/account')).body;
    const request = await created(api, '/v1/payments', aPaymentRequest(id));
    expect((await api.get(`/v1/events?object_id=${request.id}`)).body.data).toMatchObject([
      { type: 'payment_request.created' },
    ]);
    const denied = [
      await api.post('/v1/transactions', aTransaction(id)),
      await api.post('/v1/subscriptions', { ...aPaymentRequest(id), interval: 'month' }),
      await api.get('/v1/events?type=transaction.created'),
      await api.post('/v1/webhooks', { url: 'https://example.com/' }),
      await api.get('/v1/webhooks'),
      await api.get('/v1/account/balance'),
    ];
    expect(denied.map(({ status }) => status)).toEqual(denied.map(() => 403));
  });

  it.each([
    ['no name', { name: undefined }],
    ['an empty list of scopes', { scopes: [] }],
    ['an unknown scope', { scopes: ['everything'] }],
    ['a scope twice', { scopes: ['webhooks', 'webhooks'] }],
    ['scopes that are no list', { scopes: 'webhooks' }],
    ['an address that is none', { allowed_addresses: ['example.com'] }],
    ['a network that is too small', { allowed_addresses: ['203.0.113.0/33'] }],
    [
      'too many addresses',
      { allowed_addresses: Array.from({ length: 51 }, (_, index) => `203.0.113.${index}`) },
    ],
    ['an expiry in the past', { expires_at: '2020-01-01T00:00:00Z' }],
    ['an unknown role', { role: 'admin' }],
  ])('are not created with %s', async (_, members) => {
    const { status, body } = await owner.api.post('/v1/api-keys', { name: 'Web shop', ...members });
    expect([status, body.error]).toEqual([400, 'invalid_request']);
  });

  it('are used only from their allowed addresses', async () => {
    const elsewhere = await withKey({ allowed_addresses: ['203.0.113.0/24', '2001:db8::/48'] });
    const { status, body } = await elsewhere.get('/v1/account');
    expect([status, body.error]).toEqual([403, 'forbidden']);
    const here = await withKey({ allowed_addresses: ['127.0.0.0/8', '::1'] });
    expect((await here.get('/v1/account')).status).toBe(200);
  });

  it('record their last use, at most once a minute', async () => {
    const { id, key } = await create(owner.api);
    const lastUse = async (): Promise<string | null> =>
      (await owner.api.get('/v1/api-keys')).body.data.find((one: { id: string }) => one.id === id)
        .last_used_at;
    const used = (): Promise<unknown> => service.api.as(key).get('/v1/account');
    await used();
    await until(async () => (await lastUse()) !== null);
    const first = await lastUse();
    service.clock.move({ seconds: 30 });
    await used();
    service.clock.move({ seconds: 31 });
    const before = service.clock.now();
    await used();
    await until(async () => (await lastUse()) !== first);
    expect(new Date((await lastUse())!).getTime()).toBeGreaterThanOrEqual(before.getTime());
  });

  it.each(['unknown', 'malformed'])('that are %s are unauthorized', async (kind) => {
    const key = kind === 'unknown' ? `ch_${'x'.repeat(43)}` : 'ch_short';
    const { status, body } = await service.api.as(key).get('/v1/account');
    expect([status, body.error]).toEqual([401, 'unauthorized']);
  });

  describe('end on every replica with the next request', () => {
    const statuses = async (key: string): Promise<number[]> => [
      (await service.api.as(key).get('/v1/account')).status,
      (await replica.api.as(key).get('/v1/account')).status,
    ];

    it('when they are revoked', async () => {
      const { id, key } = await create(owner.api);
      expect(await statuses(key)).toEqual([200, 200]);
      const revoked = await owner.api.delete(`/v1/api-keys/${id}`);
      expect(revoked.body).toMatchObject({ id, revoked_at: expect.any(String) });
      expect(await statuses(key)).toEqual([401, 401]);
      expect((await owner.api.delete(`/v1/api-keys/${id}`)).status).toBe(404);
      const { data } = (await owner.api.get('/v1/api-keys')).body;
      expect(data.map((one: { id: string }) => one.id)).not.toContain(id);
    });

    it('when an admin revokes them, for a reason that the audit log shows', async () => {
      const { id, key } = await create(owner.api);
      await admin.delete(`/v1/api-keys/${id}`, { reason: 'Found in a public repository' });
      expect(await statuses(key)).toEqual([401, 401]);
      const { data } = (await admin.get(`/v1/audit-log?object_id=${id}&action=api_key.revoke`)).body;
      expect(data).toEqual([expect.objectContaining({ reason: 'Found in a public repository' })]);
    });

    it('when they expire', async () => {
      const expiry = service.clock.now().getTime() + 60_000;
      const { key } = await create(owner.api, { expires_at: new Date(expiry).toISOString() });
      expect(await statuses(key)).toEqual([200, 200]);
      for (const one of [service, replica]) one.clock.move({ seconds: 3600 });
      expect(await statuses(key)).toEqual([401, 401]);
      for (const one of [service, replica]) one.clock.move({ seconds: -3600 });
    });

    it('when their account is closed, also those that are created meanwhile', async () => {
      const closing = await anOwner(service.api);
      const { key } = await create(closing.api);
      const [closed, ...creations] = await Promise.all([
        closing.api.delete('/v1/account'),
        ...Array.from({ length: 5 }, () => closing.api.post('/v1/api-keys', { name: 'late' })),
      ]);
      expect(closed.status).toBe(200);
      const made = creations.filter(({ status }) => status === 201).map(({ body }) => body.key as string);
      for (const one of [key, ...made]) expect(await statuses(one)).toEqual([401, 401]);
    });
  });

  it('outlive the suspension of their account, and then read only', async () => {
    const suspended = await anOwner(service.api);
    const api = await withKey({}, suspended);
    await admin.patch(`/v1/accounts/${suspended.accountId}`, { status: 'suspended' });
    expect((await api.get('/v1/transactions')).status).toBe(200);
    expect((await api.post('/v1/transactions', aTransaction(suspended.accountId))).status).toBe(403);
    const again = await logIn(service.api, suspended.email);
    expect((await again.api.post('/v1/api-keys', { name: 'new' })).status).toBe(403);
  });

  it('outlive the sessions and the password of who created them, and no member creates them', async () => {
    const member = await aMember(service.api, owner);
    expect((await member.api.post('/v1/api-keys', { name: 'mine' })).status).toBe(403);
    const session = await logIn(service.api, owner.email);
    const api = service.api.as((await create(session.api)).key);
    await session.api.delete('/v1/auth/session');
    expect((await api.get('/v1/account')).status).toBe(200);
  });

  it('are listed newest first until they expire, and nothing says that somebody revoked those that have', async () => {
    const other = await anOwner(service.api);
    const inMinutes = (minutes: number): object => ({
      expires_at: new Date(service.clock.now().getTime() + minutes * 60_000).toISOString(),
    });
    const ids: string[] = [];
    for (const members of [{}, inMinutes(1), inMinutes(90), {}, inMinutes(120)])
      ids.push((await create(other.api, members)).id);
    const listed = async (query = ''): Promise<string[]> =>
      (await other.api.get(`/v1/api-keys${query}`)).body.data.map(({ id }: { id: string }) => id);
    expect(await listed()).toEqual(ids.toReversed());
    service.clock.move({ minutes: 5 });
    await service.runDueTasks();
    const live = ids.filter((id) => id !== ids[1]).toReversed();
    expect(await listed()).toEqual(live);
    expect(await listed('?limit=2&page=2')).toEqual(live.slice(2));
    const [expired] = await service.sql('SELECT revoked_at FROM api_keys WHERE id = $1', [ids[1]]);
    expect(expired).toEqual({ revoked_at: null });
    service.clock.move({ minutes: -5 });
  });

  it('are at most 100 of one account that live, also when they are created at once', async () => {
    const busy = await anOwner(service.api);
    const { id } = await create(busy.api);
    await service.sql(
      `INSERT INTO api_keys (id, hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at)
       SELECT id || n, hash || n, account_id, role, name, last_four, scopes, allowed_addresses, created_at
       FROM api_keys, generate_series(1, 94) n WHERE id = $1`,
      [id],
    );
    await service.sql(
      `INSERT INTO api_keys (id, hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at, expires_at)
       SELECT 'expired' || id, 'expired' || hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at, created_at
       FROM api_keys WHERE account_id = $1`,
      [busy.accountId],
    );
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => busy.api.post('/v1/api-keys', { name: 'one of many' })),
    );
    const rejected = replies.filter(({ status }) => status !== 201);
    expect(rejected).toHaveLength(3);
    expect(rejected[0]!.body).toMatchObject({ error: 'conflict', message: expect.stringContaining('100') });
    await busy.api.delete(`/v1/api-keys/${id}`);
    expect((await busy.api.post('/v1/api-keys', { name: 'instead' })).status).toBe(201);
  });

  it('of the platform act for all accounts, and an audit log names them', async () => {
    const { id, key } = await create(admin, { role: 'platform', name: 'Rails' });
    const api = service.api.as(key);
    expect((await api.get(`/v1/accounts/${owner.accountId}/balance`)).status).toBe(200);
    const { id: payment } = await created(api, '/v1/transactions', aTransaction(owner.accountId));
    await api.post(`/v1/transactions/${payment}/settlement`, { outcome: 'succeeded' });
    const entries = (await admin.get('/v1/audit-log?limit=20')).body.data;
    const actions = entries
      .filter((entry: { actor_id: string; object_id: string }) =>
        [entry.actor_id, entry.object_id].includes(id),
      )
      .map((entry: { action: string }) => entry.action);
    expect(actions.toReversed()).toEqual(['api_key.create', 'transaction.create', 'transaction.settle']);
    expect(JSON.stringify(entries)).not.toContain(key);
    expect((await admin.get('/v1/api-keys')).body.data.map((one: { id: string }) => one.id)).toContain(id);
  });

  it('count for the network until they are accepted, and then for themselves', async () => {
    const limited = await service.replica({ RATE_LIMIT_PER_SECOND: '5', TRUSTED_PROXIES: '127.0.0.1, ::1' });
    try {
      const policy = async (key: string): Promise<string | null> =>
        (await limited.api.as(key).get('/v1/account')).headers.get('ratelimit-policy');
      const { key } = await create(owner.api);
      expect(await policy(key)).toContain('"network"');
      expect(await policy(key)).toContain('"token"');
      expect(await policy(`ch_${'y'.repeat(43)}`)).toContain('"network"');
    } finally {
      await limited.stop();
    }
  });
});
