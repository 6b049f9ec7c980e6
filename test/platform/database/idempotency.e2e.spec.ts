import { Api, Reply } from '../../support/api';
import { aPaymentRequest, aSubscription, aTransaction } from '../../support/request-bodies';
import {
  aMember,
  anOperator,
  anOwner,
  aUser,
  created,
  logIn,
  Owner,
  PASSWORD,
  someEmail,
  theAdmin,
} from '../../support/people';
import { startTestService, TestService } from '../../support/service';

const REPLAYED = 'idempotency-replayed';

describe('Idempotency-Key', () => {
  let service: TestService;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const outcome = ({ status, body }: Reply): string => `${status} ${body.error ?? 'ok'}`;
  const send = (api: Api, path: string, body: object, key: string): Promise<Reply> =>
    api.post(path, body, { headers: { 'idempotency-key': key } });
  const signUp = (members: object = {}): object => ({ email: someEmail(), password: PASSWORD, ...members });
  const anAccountBody = (members: object = {}): object =>
    signUp({ name: 'Lovelace Ltd', type: 'business', ...members });
  let lastKey = 0;
  const aKey = (): string => `key ${(lastKey += 1)}`;

  interface Creation {
    readonly api: Api;
    readonly path: string;
    readonly body: object;
    readonly table: string;
  }
  const by = (api: Api, path: string, body: object, table = path): Creation => ({
    api,
    path: `/v1/${path}`,
    body,
    table,
  });

  /** Every creation of the interface: its caller, its path, and a body that succeeds once. */
  const creations: [string, () => Creation | Promise<Creation>][] = [
    ['a transaction', () => by(owner.api, 'transactions', aTransaction(owner.accountId))],
    [
      'a payment request',
      () => by(owner.api, 'payments', aPaymentRequest(owner.accountId), 'payment_requests'),
    ],
    ['a subscription', () => by(owner.api, 'subscriptions', aSubscription(owner.accountId))],
    [
      "a subscription's first payment request",
      () => by(owner.api, 'subscriptions', aSubscription(owner.accountId), 'payment_requests'),
    ],
    ['a user who signs up', () => by(service.api, 'users', signUp({ name: 'Ada' }))],
    ['a member', () => by(owner.api, 'users', signUp())],
    [
      'a user by an admin',
      async () => by((await theAdmin(service.api)).api, 'users', signUp({ role: 'platform' })),
    ],
    ['an account that signs up', () => by(service.api, 'accounts', anAccountBody())],
    ['an account of a user', async () => by((await aUser(service.api)).api, 'accounts', anAccountBody())],
  ];

  describe.each(creations)('for %s', (_, creation) => {
    const rows = async (table: string): Promise<number> =>
      Number((await service.sql<{ count: string }>(`SELECT count(*) FROM ${table}`))[0]!.count);

    it('replays the response byte for byte with a header, and creates nothing more', async () => {
      const { api, path, body, table } = await creation();
      const key = aKey();
      const first = await send(api, path, body, key);
      const before = await rows(table);
      const second = await send(api, path, body, key);
      expect(outcome(first)).toBe('201 ok');
      expect(first.headers.has(REPLAYED)).toBe(false);
      expect([second.status, second.text, second.headers.get(REPLAYED)]).toEqual([201, first.text, 'true']);
      expect(second.headers.get('content-type')).toBe(first.headers.get('content-type'));
      expect(await rows(table)).toBe(before);
    });

    it('creates one row for concurrent requests, which all get the same response', async () => {
      const { api, path, body, table } = await creation();
      const key = aKey();
      const before = await rows(table);
      const replies = await Promise.all(Array.from({ length: 25 }, () => send(api, path, body, key)));
      expect(new Set(replies.map(outcome))).toEqual(new Set(['201 ok']));
      expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
      expect(replies.filter(({ headers }) => !headers.has(REPLAYED))).toHaveLength(1);
      expect(await rows(table)).toBe(before + 1);
    });

    it('rejects another body and another path', async () => {
      const { api, path, body } = await creation();
      const key = aKey();
      await send(api, path, body, key);
      expect(
        outcome(
          await send(
            api,
            path,
            {
              ...body,
              ...('name' in body ? { name: 'Other' } : 'amount' in body ? { amount: 1 } : { name: 'New' }),
            },
            key,
          ),
        ),
      ).toBe('400 invalid_request');
      expect(outcome(await send(api, `${path}?again=1`, body, key))).toBe('400 invalid_request');
    });
  });

  it('creates one row for 100 concurrent requests', async () => {
    const key = aKey();
    const body = aTransaction(owner.accountId, { reference: 'hundred' });
    const replies = await Promise.all(
      Array.from({ length: 100 }, () => send(owner.api, '/v1/transactions', body, key)),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect((await owner.api.get('/v1/transactions?reference=hundred')).body.data).toHaveLength(1);
  });

  it('gives concurrent requests for a refund that empties the account the same response, and none insufficient_funds', async () => {
    const rich = await anOwner(service.api);
    await created(
      rich.api,
      '/v1/transactions',
      aTransaction(rich.accountId, { type: 'credit', amount: 700 }),
    );
    const key = aKey();
    const body = aTransaction(rich.accountId, { type: 'refund', amount: 700 });
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => send(rich.api, '/v1/transactions', body, key)),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]!.status).toBe(201);
  });

  it('accepts one of several concurrent requests with different bodies and rejects the others', async () => {
    const key = aKey();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        send(owner.api, '/v1/transactions', aTransaction(owner.accountId, { amount: index + 1 }), key),
      ),
    );
    expect(replies.map(outcome).toSorted()).toEqual([
      '201 ok',
      ...Array.from({ length: 9 }, () => '400 invalid_request'),
    ]);
  });

  it('belongs to the principal, across sessions', async () => {
    const key = aKey();
    const body = aTransaction(owner.accountId);
    const first = await send(owner.api, '/v1/transactions', body, key);
    const again = await logIn(service.api, owner.email);
    expect((await send(again.api, '/v1/transactions', body, key)).text).toBe(first.text);
    const member = await aMember(service.api, owner);
    const other = await send(member.api, '/v1/transactions', body, key);
    expect(outcome(other)).toBe('201 ok');
    expect(other.body.id).not.toBe(first.body.id);
  });

  it.each(['/v1/users', '/v1/accounts'])(
    'gives the same response to a right and a wrong password in a repeat of POST %s',
    async (path) => {
      const body = path === '/v1/users' ? signUp() : anAccountBody();
      const key = aKey();
      const first = await send(service.api, path, body, key);
      const repeats = [
        await send(service.api, path, body, key),
        await send(service.api, path, { ...body, password: 'a wrong horse battery' }, key),
      ];
      expect(repeats.map(({ status, text }) => [status, text])).toEqual(repeats.map(() => [201, first.text]));
    },
  );

  it('belongs to the email at open sign-up, ignoring case', async () => {
    const key = aKey();
    const [one, two] = [signUp(), signUp()] as { email: string }[];
    const first = await send(service.api, '/v1/users', one!, key);
    const second = await send(service.api, '/v1/users', two!, key);
    expect([first, second].map(outcome)).toEqual(['201 ok', '201 ok']);
    const shouted = await send(service.api, '/v1/users', { ...one, email: one!.email.toUpperCase() }, key);
    expect(outcome(shouted)).toBe('400 invalid_request'); // the same key for the same email with another body
  });

  it('stores nothing for a rejected request', async () => {
    const key = aKey();
    const rich = await anOwner(service.api);
    const body = aTransaction(rich.accountId, { type: 'refund', amount: 5 });
    expect(outcome(await send(rich.api, '/v1/transactions', body, key))).toBe('402 insufficient_funds');
    await created(rich.api, '/v1/transactions', aTransaction(rich.accountId, { type: 'credit', amount: 5 }));
    const later = await send(rich.api, '/v1/transactions', body, key);
    expect([outcome(later), later.headers.has(REPLAYED)]).toEqual(['201 ok', false]);
  });

  it('is stored for 7 days and can then be used again', async () => {
    const key = aKey();
    const email = someEmail();
    await created(service.api, '/v1/accounts', anAccountBody({ email }));
    let { api } = await logIn(service.api, email);
    const body = aTransaction((await api.get('/v1/account')).body.id);
    const first = await send(api, '/v1/transactions', body, key);
    service.clock.move({ days: 7, seconds: -30 });
    ({ api } = await logIn(service.api, email));
    expect((await send(api, '/v1/transactions', body, key)).text).toBe(first.text);
    service.clock.move({ seconds: 60 });
    const renewed = await send(api, '/v1/transactions', { ...body, amount: 7 }, key);
    expect([outcome(renewed), renewed.headers.has(REPLAYED)]).toEqual(['201 ok', false]);
    service.clock.move({ days: -7, seconds: -30 });
    owner = { ...owner, ...(await logIn(service.api, owner.email)) };
  });

  it('replays the original response after the account has changed', async () => {
    const person = await anOwner(service.api);
    const key = aKey();
    const body = aTransaction(person.accountId);
    const first = await send(person.api, '/v1/transactions', body, key);
    await person.api.delete(`/v1/transactions/${first.body.id}`);
    expect((await send(person.api, '/v1/transactions', body, key)).text).toBe(first.text);
  });

  it.each(['', ' ', 'x'.repeat(256), 'naïve', 'tab\tinside', 'caf\u00e9'])(
    '%p is rejected as a key',
    async (key) => {
      const reply = await send(owner.api, '/v1/transactions', aTransaction(owner.accountId), key);
      expect(outcome(reply)).toBe('400 invalid_request');
    },
  );

  it.each(['k', 'x'.repeat(255), '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'two words', "' OR 1=1 --", '%00'])(
    '%p is a key',
    async (key) => {
      const body = aTransaction(owner.accountId);
      const first = await send(owner.api, '/v1/transactions', body, key);
      expect(outcome(first)).toBe('201 ok');
      expect((await send(owner.api, '/v1/transactions', body, key)).text).toBe(first.text);
    },
  );

  it('is ignored by operations that create nothing', async () => {
    const { id } = await created(owner.api, '/v1/transactions', aTransaction(owner.accountId));
    const headers = { 'idempotency-key': aKey() };
    for (const reference of ['a', 'b']) {
      const reply = await owner.api.patch(`/v1/transactions/${id}`, { reference }, { headers });
      expect([reply.body.reference, reply.headers.has(REPLAYED)]).toEqual([reference, false]);
    }
  });

  it('survives the rotation of the secrets', async () => {
    const key = aKey();
    const body = aTransaction(owner.accountId);
    const first = await send(owner.api, '/v1/transactions', body, key);
    const rotated = await service.replica({
      JWT_SECRETS:
        'another secret that is newer and of enough length,a test secret that is only used in tests',
    });
    try {
      expect((await send(rotated.api.as(owner.token), '/v1/transactions', body, key)).text).toBe(first.text);
    } finally {
      await rotated.stop();
    }
  });

  it('stores no readable part of a body', async () => {
    const password = `canary ${someEmail()}`;
    await send(service.api, '/v1/users', signUp({ password }), aKey());
    await send(owner.api, '/v1/users', signUp({ password: `another ${password}` }), aKey());
    const rows = [
      ...(await service.sql('SELECT * FROM idempotency_records')),
      ...(await service.sql('SELECT * FROM account_idempotency_records')),
    ];
    expect(rows.length).toBeGreaterThan(1);
    expect(JSON.stringify(rows)).not.toContain('canary');
  });

  it.each(['admin', 'platform'] as const)(
    'is rejected for another account in the body, of a caller with the role %s',
    async (role) => {
      const { api } = role === 'admin' ? await theAdmin(service.api) : await anOperator(service.api, role);
      const [one, two] = [await anOwner(service.api), await anOwner(service.api)];
      const key = aKey();
      const first = await send(api, '/v1/transactions', aTransaction(one.accountId), key);
      expect(outcome(first)).toBe('201 ok');
      expect(outcome(await send(api, '/v1/transactions', aTransaction(two.accountId), key))).toBe(
        '400 invalid_request',
      );
      expect((await send(api, '/v1/transactions', aTransaction(one.accountId), key)).text).toBe(first.text);
      expect((await two.api.get('/v1/transactions')).body.data).toEqual([]);
    },
  );

  it('is rejected on another path for a user who has become an owner with it', async () => {
    const user = await aUser(service.api);
    const key = aKey();
    const account = anAccountBody();
    const first = await send(user.api, '/v1/accounts', account, key);
    expect(outcome(first)).toBe('201 ok');
    const other = await send(user.api, '/v1/transactions', aTransaction(first.body.id), key);
    expect(outcome(other)).toBe('400 invalid_request');
    expect((await send(user.api, '/v1/accounts', account, key)).text).toBe(first.text);
  });

  it('is rejected on another path for an owner who has created a member with it', async () => {
    const key = aKey();
    expect(outcome(await send(owner.api, '/v1/users', signUp(), key))).toBe('201 ok');
    const other = await send(owner.api, '/v1/transactions', aTransaction(owner.accountId), key);
    expect(outcome(other)).toBe('400 invalid_request');
  });
});
