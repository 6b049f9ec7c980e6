import Papa from 'papaparse';
import { newId } from '../../../src/kernel/ids';
import { Api } from '../../support/api';
import { openedIn2000 } from '../../support/old-account';
import { anOperator, anOwner, aUser, created, logIn, Owner, Person, theAdmin } from '../../support/people';
import { aPaymentRequest, aSubscription, aTransaction } from '../../support/request-bodies';
import { SentStatements } from '../../support/sent-statements';
import { startTestService, TestService } from '../../support/service';
import { until } from '../../support/until';

type Line = Record<string, string>;

const ROWS = 25_000;

/** How many items an export reads at a time. */
const PART = 100;

describe('Exports of lists as CSV', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;

  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
    owner = await anOwner(service.api);
  });
  afterAll(() => service.stop());

  const request = (path: string, { token }: Person, signal?: AbortSignal): Promise<Response> =>
    fetch(`${service.url}${path}`, {
      headers: { authorization: `Bearer ${token}` },
      ...(signal !== undefined && { signal }),
    });

  async function exported(path: string, person: Person = owner): Promise<Line[]> {
    const response = await request(path, person);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8; header=present');
    const { data, errors } = Papa.parse<Line>(await response.text(), { header: true, skipEmptyLines: true });
    expect(errors).toEqual([]);
    return data;
  }

  /** The amounts of an item of a list in USD as decimal numbers. */
  const decimalsOf = (item: { amount?: number; balance?: number; currency?: string }): object =>
    Object.fromEntries(
      (['amount', 'balance'] as const)
        .filter((name) => item[name] !== undefined && item.currency !== undefined)
        .map((name) => [`${name}_decimal`, (item[name]! / 100).toFixed(2)]),
    );

  /** As an export writes the items of a page. */
  const linesOf = (items: readonly object[]): Line[] =>
    items.map((item) =>
      Object.fromEntries(
        Object.entries<any>({ ...item, ...decimalsOf(item) }).map(([name, value]): [string, string] => [
          name,
          value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value),
        ]),
      ),
    );

  it('contain the items of the list, with the same filters and as the same caller', async () => {
    const { accountId } = owner;
    await created(owner.api, '/v1/transactions', aTransaction(accountId, { type: 'credit' }));
    await created(owner.api, '/v1/payments', aPaymentRequest(accountId, { metadata: { a: 'x, "y"\n' } }));
    await created(owner.api, '/v1/subscriptions', aSubscription(accountId));
    await created(admin.api, `/v1/accounts/${accountId}/adjustments`, {
      direction: 'credit',
      amount: 5,
      currency: 'USD',
      reason: 'A fee, paid back',
    });
    const user = await aUser(service.api);
    await created(admin.api, '/v1/approvals', {
      type: 'make_admin',
      object_id: user.id,
      reason: 'As agreed.',
    });
    const { id: webhookId } = await created(owner.api, '/v1/webhooks', { url: 'https://hooks.example.com/' });
    await created(owner.api, '/v1/api-keys', { name: 'Web shop' });
    for (const path of [`accounts/${accountId}`, `users/${user.id}`])
      await created(admin.api, `/v1/${path}/notes`, { text: 'Called on Monday.' });
    const lists: [path: string, person: Person][] = [
      ['/v1/transactions?', owner],
      ['/v1/transactions?status=succeeded&', owner],
      [`/v1/transactions?account_id=${accountId}&`, admin],
      ['/v1/payments?', owner],
      ['/v1/subscriptions?', owner],
      ['/v1/unapplied-payments?', admin],
      ['/v1/events?', owner],
      ['/v1/account/entries?legs=both&', owner],
      [`/v1/accounts/${accountId}/entries?`, admin],
      ['/v1/adjustments?', admin],
      ['/v1/approvals?status=pending&', admin],
      ['/v1/webhooks?', owner],
      [`/v1/webhooks/${webhookId}/deliveries?`, owner],
      ['/v1/webhook-deliveries?', admin],
      [`/v1/api-keys?account_id=${accountId}&`, admin],
      [`/v1/accounts/${accountId}/notes?`, admin],
      [`/v1/users/${user.id}/notes?`, admin],
      ['/v1/audit-log?action=login&', admin],
      ['/v1/accounts?', admin],
      [`/v1/accounts?id=${accountId}&`, admin],
      ['/v1/users?role=admin&', admin],
      ['/v1/users?', owner],
    ];
    for (const [path, person] of lists) {
      const { body } = await person.api.get(`${path}limit=100`);
      const lines = await exported(`${path}format=csv`, person);
      // The items of these lists are whole in an export.
      if (/^.v1.(transactions|payments|subscriptions|adjustments|webhooks|users|accounts)\?/.test(path))
        expect(lines).toMatchObject(linesOf(body.data));
      else expect(lines).toEqual(linesOf(body.data));
    }
    expect((await request('/v1/audit-log?format=csv', owner)).status).toBe(403);
    expect((await fetch(`${service.url}/v1/transactions?format=csv`)).status).toBe(401);
  });

  it.each([
    [
      '/v1/transactions',
      ['account_id', 'amount', 'currency', 'status', 'created_at', 'type', 'reference', 'failure_reason'],
    ],
    ['/v1/payments', ['customer_email', 'reference', 'payment_url', 'transaction_id']],
    ['/v1/users', ['email', 'name', 'status', 'created_at', 'updated_at', 'role', 'membership_role']],
  ])(
    'of %s begin with the id and the columns of the list, and have those of whole objects',
    async (path, columns) => {
      const text = await (await request(`${path}?format=csv`, owner)).text();
      const [header] = text.split('\n');
      expect(header!.split(',').filter((column) => ['id', ...columns].includes(column))).toEqual([
        'id',
        ...columns,
      ]);
      expect(await (await request(`${path}?format=csv&view=full`, owner)).text()).toBe(text);
    },
  );

  it('have the name of the account beside its id, which is looked up once for each part', async () => {
    const other = await anOwner(service.api);
    const { body: account } = await other.api.patch('/v1/account', { name: '=Söhne, Ltd' });
    for (const { api, accountId } of [owner, other])
      for (let count = 0; count < 3; count += 1)
        await created(api, '/v1/transactions', aTransaction(accountId, { type: 'credit', amount: 77 }));
    const text = await (await request('/v1/transactions?format=csv', owner)).text();
    expect(text).toMatch(/^id,account_id,account_name,amount,/);
    const { body: named } = await owner.api.get('/v1/account');
    const sent = new SentStatements();
    try {
      const lines = await exported('/v1/transactions?amount_min=77&amount_max=77&format=csv', admin);
      const names = new Map(lines.map(({ account_id, account_name }) => [account_id, account_name]));
      expect(names.get(other.accountId)).toBe(`'${account.name}`);
      expect(names.get(owner.accountId)).toBe(named.name);
      expect(sent.timesSent('FROM accounts WHERE id = ANY')).toBe(sent.timesSent('AS page'));
    } finally {
      sent.stop();
    }
  });

  it('write amounts as decimal numbers too, with the digits of the currency and a sign that is no formula', async () => {
    const yen = await anOwner(service.api, { currency: 'JPY' });
    const book = (fields: object) =>
      created(yen.api, '/v1/transactions', aTransaction(yen.accountId, { currency: 'JPY', ...fields }));
    await book({ type: 'credit', amount: 2_500 });
    await book({ type: 'refund', amount: 700 });
    const lines = await exported('/v1/account/entries?format=csv', yen);
    expect(lines.map(({ amount_decimal, balance_decimal }) => [amount_decimal, balance_decimal])).toEqual([
      ['-700', '1800'],
      ['2500', '2500'],
    ]);
    await created(
      owner.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'credit', amount: 5 }),
    );
    await created(
      owner.api,
      '/v1/transactions',
      aTransaction(owner.accountId, { type: 'refund', amount: 5 }),
    );
    const [last] = await exported('/v1/account/entries?format=csv', owner);
    expect(last!.amount_decimal).toBe('-0.05');
  });

  it('contain only the header without items', async () => {
    const text = await (await request('/v1/transactions?format=csv', await anOwner(service.api))).text();
    expect(text).toMatch(/^id,account_id,.*,updated_at,amount_decimal\n$/);
  });

  it('let no text begin like a formula of a spreadsheet, and leave negative amounts as they are', async () => {
    const person = await anOwner(service.api);
    const references = ['=1+1', '+1', '-1', '@a', '\tb', "'=quoted", 'plain=1'];
    for (const reference of references)
      await created(
        person.api,
        '/v1/transactions',
        aTransaction(person.accountId, { type: 'credit', reference }),
      );
    await created(person.api, '/v1/transactions', aTransaction(person.accountId, { type: 'refund' }));
    const lines = await exported('/v1/transactions?view=full&type=credit&format=csv', person);
    expect(lines.map(({ reference }) => reference).toReversed()).toEqual([
      "'=1+1",
      "'+1",
      "'-1",
      "'@a",
      "'\tb",
      "'=quoted",
      'plain=1',
    ]);
    const [refund] = await exported('/v1/account/entries?format=csv', person);
    expect(Number(refund!.amount)).toBeLessThan(0);
  });

  it('are chosen by Accept where the query names no format', async () => {
    const typeOf = async (accept: string, query = ''): Promise<[string, string | null]> => {
      const response = await fetch(`${service.url}/v1/transactions${query}`, {
        headers: { authorization: `Bearer ${owner.token}`, accept },
      });
      await response.text();
      return [response.headers.get('content-type')!.split(';')[0]!, response.headers.get('vary')];
    };
    const [json, csv] = ['application/json', 'text/csv'];
    for (const accept of [
      'text/csv',
      'text/*',
      'text/csv, application/json;q=0.5',
      'application/json;q=0, */*',
    ])
      expect([accept, ...(await typeOf(accept))]).toEqual([accept, csv, 'Accept']);
    for (const accept of ['*/*', '', 'application/json, text/csv;q=0.9', 'text/html, */*;q=0.8', 'image/png'])
      expect([accept, ...(await typeOf(accept))]).toEqual([accept, json, 'Accept']);
    expect(await typeOf('text/csv', '?format=json')).toEqual([json, null]);
    expect(await typeOf('application/json', '?format=csv')).toEqual([csv, null]);
  });

  it.each(['ending_before=txn_01k9x8v2t4e6rb3m5n7p9q1s0w&format=csv', 'format=xml', 'limit=0&format=csv'])(
    'reject ?%s',
    async (query) => {
      const response = await request(`/v1/transactions?${query}`, owner);
      expect([response.status, ((await response.json()) as Line).error]).toEqual([400, 'invalid_request']);
    },
  );

  it('of entries record one read of the account, however many parts they have', async () => {
    const { api, accountId, ...other } = await anOwner(service.api);
    const credit = aTransaction(accountId, { type: 'credit' });
    await Promise.all(Array.from({ length: PART + 1 }, () => created(api, '/v1/transactions', credit)));
    const lines = await exported(`/v1/accounts/${accountId}/entries?format=csv`, admin);
    expect(lines).toHaveLength(PART + 1);
    const { body } = await admin.api.get(`/v1/audit-log?action=account.read&object_id=${accountId}`);
    expect(body.data).toHaveLength(1);
    expect(await exported('/v1/account/entries?format=csv', { api, ...other })).toEqual(lines);
  });

  describe('of accounts and users, more than are read at a time', () => {
    /** Many have the same time, so that parts begin and end within one. */
    const timeOf = (index: number): Date => new Date(1_780_000_000_000 + Math.floor(index / 700) * 1_000);
    const indexes = Array.from({ length: 2_500 }, (_, index) => index);
    const accountIds = indexes.map((index) => newId('acc', timeOf(index)));
    const userIds = indexes.map((index) => newId('usr', timeOf(index)));
    const newestFirst = (ids: readonly string[]): string[] =>
      ids
        .map((id, index) => ({ id, time: timeOf(index).getTime() }))
        .toSorted((one, other) => other.time - one.time || (one.id < other.id ? 1 : -1))
        .map(({ id }) => id);

    beforeAll(async () => {
      const times = indexes.map(timeOf);
      await service.sql(
        `INSERT INTO accounts (id, email, name, status, created_at, updated_at, type, currency, timezone, language,
           posted, held, pending_in, last_id_number)
         SELECT id, id, CASE n % 500 WHEN 7 THEN '=Rare ' || n ELSE 'Ü "N", ' || n END, 'pending', time, time, 'business',
           'USD', 'UTC', 'en', 0, 0, 0, 0
         FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS rows (id, time, n)`,
        [accountIds, times],
      );
      await service.sql(
        `INSERT INTO users (id, email, name, status, role, created_at, updated_at)
         SELECT id, id, CASE n % 500 WHEN 7 THEN 'a rare one' ELSE 'frequent' END, 'pending', 'user', time, time
         FROM unnest($1::text[], $2::timestamptz[]) WITH ORDINALITY AS rows (id, time, n)`,
        [userIds, times],
      );
    });

    it('contain each once, in the order of the list', async () => {
      const accounts = await exported('/v1/accounts?status=pending&type=business&format=csv', admin);
      expect(accounts.map(({ id }) => id)).toEqual(newestFirst(accountIds));
      expect(accounts.find(({ id }) => id === accountIds[0])!.name).toBe('Ü "N", 1');
      const users = await exported('/v1/users?status=pending&format=csv', admin);
      expect(users.map(({ id }) => id)).toEqual(newestFirst(userIds));
    });

    it('find by text what the list finds, few or many, without reading more at a time', async () => {
      const sent = new SentStatements();
      try {
        const rare = userIds.filter((_, index) => (index + 1) % 500 === 7);
        // Their emails are ids, which contain no space and may end with "rare".
        for (const search of ['A%20RARE', '%20o']) {
          const lines = await exported(`/v1/users?status=pending&search=${search}&format=csv`, admin);
          expect(lines.map(({ id }) => id)).toEqual(newestFirst(userIds).filter((id) => rare.includes(id)));
        }
        const many = await exported('/v1/users?status=pending&search=frequent&format=csv', admin);
        expect(many).toHaveLength(userIds.length - rare.length);
        expect(sent.timesSent('AS matches')).toBe(3 * 3);
        expect(sent.timesSent('OFFSET')).toBe(0);
      } finally {
        sent.stop();
      }
      const named = await exported('/v1/accounts?name=%3Drare&format=csv', admin);
      expect(named.map(({ name }) => name!.slice(0, 6))).toEqual(Array(5).fill("'=Rare"));
    });

    it('are rejected with a page, and for callers who may not read the list', async () => {
      const statusOf = async (path: string, person: Person): Promise<number> =>
        (await request(path, person)).status;
      expect(await statusOf('/v1/accounts?page=2&format=csv', admin)).toBe(400);
      expect(await statusOf('/v1/users?page=2&format=csv', admin)).toBe(400);
      expect(await statusOf('/v1/accounts?name=%C3%9C&format=csv', admin)).toBe(400); // more than a thousand
      expect(await statusOf('/v1/accounts?format=csv', owner)).toBe(403);
      expect(await statusOf('/v1/api-keys?page=2&format=csv', owner)).toBe(400);
      expect(await statusOf(`/v1/api-keys?account_id=${accountIds[0]}&format=csv`, owner)).toBe(403);
      expect(await exported(`/v1/users?account_id=${accountIds[0]}&format=csv`, owner)).toEqual([]);
    });
  });

  describe(`of ${ROWS} transactions`, () => {
    let large: Owner;
    let ids: string[];

    beforeAll(async () => {
      large = await anOwner(service.api);
      const times = Array.from({ length: ROWS }, (_, index) => new Date(1_780_000_000_000 + index * 1_000));
      ids = times.map((time) => newId('txn', time));
      await service.sql(
        `INSERT INTO transactions (id, account_id, amount, status, type, created_at, updated_at, currency, metadata)
         SELECT id, $2, 1 + n % 100, 'succeeded', 'payment', time, time, 'USD', jsonb_build_object('note', repeat('x', 1000))
         FROM unnest($1::text[], $3::timestamptz[]) WITH ORDINALITY AS rows (id, time, n)`,
        [ids, large.accountId, times],
      );
    });

    it('contain each once, newest first, from a cursor on where one is sent', async () => {
      const lines = await exported('/v1/transactions?format=csv', large);
      expect(lines.map(({ id }) => id)).toEqual(ids.toReversed());
      const rest = await exported(`/v1/transactions?starting_after=${ids[1_500]}&format=csv`, large);
      expect(rest.map(({ id }) => id)).toEqual(ids.slice(0, 1_500).toReversed());
      const range = await exported('/v1/transactions?amount_min=99&amount_max=99&format=csv', large);
      expect(range).toHaveLength(ROWS / 100);
    });

    it('are read no further than the client takes them, and no further after it has gone', async () => {
      const sent = new SentStatements();
      const parts = (): number => sent.timesSent('AS page');
      try {
        const abort = new AbortController();
        const response = await request('/v1/transactions?view=full&format=csv', large, abort.signal);
        const reader = response.body!.getReader();
        await reader.read();
        // As much as the buffers of the sockets take: it settles although most rows are left.
        let before = -1;
        await until(async () => {
          const now = parts();
          const isSettled = now === before && now > 0;
          before = now;
          await new Promise((resolve) => setTimeout(resolve, 500));
          return isSettled;
        });
        expect(before).toBeGreaterThan(0);
        expect(before).toBeLessThan(ROWS / PART);
        abort.abort();
        await new Promise((resolve) => setTimeout(resolve, 500));
        expect(parts()).toBe(before);
      } finally {
        sent.stop();
      }
    });

    describe('whose caller has taken the beginning when', () => {
      const CUT = 'the connection ended';

      /** Requests an export, calls `meanwhile` after the first bytes, and takes the rest. @returns its lines, or CUT */
      async function linesAround(
        path: string,
        person: Person,
        meanwhile: () => unknown,
      ): Promise<number | string> {
        const response = await request(path, person);
        expect(response.status).toBe(200);
        const reader = response.body!.getReader();
        const linesIn = (bytes: Uint8Array): number => bytes.filter((byte) => byte === 0x0a).length;
        let lines = linesIn((await reader.read()).value);
        await meanwhile();
        for (;;) {
          const next = await reader.read().catch(() => null);
          if (next === null) return CUT;
          if (next.done) return lines;
          lines += linesIn(next.value);
        }
      }

      const ofAccount = (): string => `/v1/transactions?account_id=${large.accountId}&format=csv`;
      const changed = async (api: Api, id: string, change: object): Promise<void> =>
        expect((await api.patch(`/v1/users/${id}`, change)).status).toBe(200);

      it('the session ends, are cut off, and the reason is logged', async () => {
        const session = await logIn(service.api, large.email);
        const end = (): Promise<unknown> => session.api.delete('/v1/auth/session');
        expect(await linesAround('/v1/transactions?format=csv', session, end)).toBe(CUT);
        expect(service.logged.some((line) => line.includes('A response was cut off: unauthorized'))).toBe(
          true,
        );
      });

      it('another replica suspends the user, are cut off', async () => {
        const replica = await service.replica();
        try {
          const user = await anOperator(service.api, 'platform');
          const suspend = async (): Promise<void> =>
            changed((await theAdmin(replica.api)).api, user.id, { status: 'suspended' });
          expect(await linesAround(ofAccount(), user, suspend)).toBe(CUT);
        } finally {
          await replica.stop();
        }
      });

      it('the role of the user changes, are cut off', async () => {
        const user = await anOperator(service.api, 'support');
        const demote = (): Promise<void> => changed(admin.api, user.id, { role: 'user' });
        expect(await linesAround(ofAccount(), user, demote)).toBe(CUT);
      });

      it('the API key is revoked, are cut off', async () => {
        const { id, key } = await created(large.api, '/v1/api-keys', { name: 'Books' });
        const revoke = (): Promise<unknown> => large.api.delete(`/v1/api-keys/${id}`);
        expect(await linesAround('/v1/transactions?format=csv', { ...large, token: key }, revoke)).toBe(CUT);
      });

      it('an admin ends the sessions, are cut off, also statements', async () => {
        const { accountId } = await openedIn2000(service, large);
        await service.sql(
          `INSERT INTO journal_entries (account_id, number, transaction_id, leg, amount, currency, balance, posted_at, hash)
           SELECT $1, 2 * n - place, 'txn_' || n, leg, sign, 'USD', sign * n, '2003-05-05T12:00:00Z', ''
           FROM generate_series(1, 30000) AS n, (VALUES ('customer', 1, 1), ('clearing', 0, -1)) AS legs (leg, place, sign)`,
          [accountId],
        );
        const owner = await logIn(service.api, large.email);
        const end = (): Promise<unknown> => admin.api.delete(`/v1/users/${large.id}/sessions`);
        expect(await linesAround('/v1/account/statements/2003-05?format=camt053', owner, end)).toBe(CUT);
      });

      it('only the access token expires, are complete', async () => {
        const owner = await logIn(service.api, large.email);
        const expire = async (): Promise<void> => {
          service.clock.move({ seconds: 3600 });
          expect((await owner.api.get('/v1/account')).status).toBe(401);
        };
        const half = `/v1/transactions?starting_after=${ids[ROWS / 2]}&format=csv`;
        expect(await linesAround(half, owner, expire)).toBe(ROWS / 2 + 1);
      });
    });
  });
});
