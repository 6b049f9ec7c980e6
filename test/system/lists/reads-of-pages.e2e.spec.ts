import { MAX_EARLIER_SESSIONS } from '../../../src/modules/auth/domain/sessions.repository';
import { MAX_INDEXED, MAX_NEWEST } from '../../../src/platform/database/lists/part-search';
import { MAX_SEARCHED } from '../../../src/platform/database/lists/text-search';
import { anAccount } from '../../support/people';
import {
  combinations,
  excessOf,
  excessOfRequest,
  FilledService,
  LIMIT,
  MAX_READS_PER_ITEM,
  Query,
  startFilled,
  stopFilled,
} from '../../support/list-reads';

/** Accounts, users, further users of one account, sessions of one user, and API keys. */
const ACCOUNTS = 20_000;
const MEMBERS = 20_000;
const SESSIONS = 12_000;
const API_KEYS = 20_000;

/** A part of the email of one user. */
const RARE_PART = 'r-1234@';

describe(`Page lists at ${ACCOUNTS} accounts and users`, () => {
  let filled: FilledService;
  let account: string;

  beforeAll(async () => {
    filled = await startFilled(1_000, ACCOUNTS);
    account = (await anAccount(filled.service.api)).accountId;
    await filled.service.sql(
      `INSERT INTO users (id, email, name, status, role, account_id, created_at, updated_at)
       SELECT 'usr_0' || lpad(n::text, 25, '0'), 'member-' || n || '@example.org', 'Member ' || n, CASE WHEN n < $2::integer / 50 THEN 'pending' ELSE 'active' END,
              CASE WHEN n % 10 = 0 THEN 'support' ELSE 'user' END, $1, at, at
       FROM generate_series(1, $2::integer) AS n, LATERAL (SELECT timestamptz '2026-01-01' + n * interval '15 minutes' AS at) AS t`,
      [account, MEMBERS],
    );
    // The live sessions of the admin and of the account are between ended, expired and newer ones.
    await filled.service.sql(
      `INSERT INTO sessions (id, user_id, account_id, role, ip, created_at, last_used_at, expires_at, ended_at)
       SELECT kind || lpad(n::text, 25, '0'), CASE WHEN kind IN ('ses_1', 'ses_4') THEN $1 ELSE 'usr_other' END, CASE kind WHEN 'ses_3' THEN NULL ELSE $2 END,
              'admin', '', now(), now(), now() + CASE kind WHEN 'ses_4' THEN -1 ELSE 1 END * interval '1 day', CASE kind WHEN 'ses_2' THEN now() END
       FROM generate_series(1, ${SESSIONS}) AS n, unnest(ARRAY['ses_1', 'ses_2', 'ses_3', 'ses_4']) AS kind`,
      [filled.admin.id, account],
    );
    // Most keys of the account and of the platform have expired. The others are between them.
    await filled.service.sql(
      `INSERT INTO api_keys (id, hash, account_id, role, name, last_four, scopes, allowed_addresses, created_at, expires_at)
       SELECT 'key_' || (role = 'user')::integer || lpad(n::text, 25, '0'), role || n, CASE role WHEN 'user' THEN $1 END, role, 'Web shop', '0000', '{}', '{}', now(),
              CASE n % 1000 WHEN 0 THEN NULL WHEN 500 THEN now() + interval '1 day' ELSE now() - n * interval '1 minute' END
       FROM generate_series(1, ${API_KEYS}) AS n, unnest(ARRAY['user', 'platform']) AS role`,
      [account],
    );
    await filled.service.runDueTasks();
    await filled.service.sql('VACUUM ANALYZE');
  });
  afterAll(() => stopFilled(filled));

  /** The pages of a list on which a position falls, from the newest to the oldest row. */
  const pagesOf = (total: number): number[] =>
    [0, 0.3, 0.7, 1].map((part) => Math.max(1, Math.ceil((total * part) / LIMIT)));

  /** The counters of a list: those of all accounts or users, or of the users of one account. */
  async function countersOf(list: string): Promise<number> {
    const [counters] = await filled.service.sql<{ count: number }>(
      'SELECT count(*)::integer FROM list_counts WHERE list = $1',
      [list],
    );
    return counters!.count;
  }

  async function expectPages(path: string, query: Query, counters: number): Promise<void> {
    const { body } = await filled.admin.api.get(`${path}?${new URLSearchParams(query).toString()}`);
    const total: number = body.pagination.total ?? body.pagination.total_records;
    expect(total).toBeGreaterThan(0);
    // The counters of a list are between those of others.
    const maxPages = (sql: string): number =>
      MAX_READS_PER_ITEM * LIMIT + (/ (user|account|account_user)_counts /.test(sql) ? counters : 0);
    const faults: string[] = [];
    for (const page of pagesOf(total))
      faults.push(...(await excessOf(filled, path, { ...query, page: `${page}` }, counters, maxPages)));
    expect(faults).toEqual([]);
  }

  const PAGE_LISTS: readonly (readonly [path: string, queries: readonly Query[]])[] = [
    [
      '/v1/accounts',
      [
        ...combinations({ status: 'active', type: 'business' }),
        ...combinations({ status: 'pending', type: 'individual' }),
        ...combinations({ created_after: '2026-02-01', created_before: '2026-09-30', status: 'closed' }),
        ...combinations({ created_after: '2026-02-01T10:00:00Z', created_before: '2026-09-30T17:30:00Z' }),
      ],
    ],
    [
      '/v1/users',
      [...combinations({ status: 'active', role: 'user', search: RARE_PART }), { status: 'pending' }],
    ],
  ];

  it.each(PAGE_LISTS)(
    'of %s read about as many rows as they return, and one counter for each day, status and type',
    async (path, queries) => {
      const counters = await countersOf(path.slice('/v1/'.length));
      expect(counters).toBeLessThan(ACCOUNTS / 5);
      for (const query of queries) await expectPages(path, query, counters);
    },
  );

  it('of accounts with given ids or names read only these', async () => {
    const rows = await filled.service.sql<{ id: string }>(
      'SELECT id FROM accounts ORDER BY hashtext(id) LIMIT 100',
    );
    const id = rows.map((row) => row.id).join(',');
    const queries: Query[] = [{ id }, { id, status: 'active', page: '2' }, { name: 'ACCOUNT 123' }];
    const maxPages = 4 * rows.length; // of the index down to the row, and that of the row
    for (const query of [...queries, { id, name: 'account 123' }])
      expect(await excessOf(filled, '/v1/accounts', query, 0, maxPages)).toEqual([]);
  });

  it('of the users of an account read about as many rows as they return, and its counters', async () => {
    const counters = await countersOf(account);
    expect(counters).toBeLessThan(MEMBERS / 10);
    for (const query of combinations({ status: 'active', role: 'support' }))
      await expectPages('/v1/users', { ...query, account_id: account }, counters);
    await expectPages('/v1/users', { account_id: account, status: 'pending', role: 'user' }, counters);
  });

  describe('of users that a search finds', () => {
    const FEW = { status: 'pending' };
    const SEARCHES: readonly (readonly [query: Query, status: number])[] = [
      [{ search: RARE_PART }, 200],
      [{ search: 'user-12' }, 200],
      [{ search: 'example.org' }, 400],
      [{ search: 'example.org', role: 'support' }, 200],
      [{ search: '-9' }, 400],
      [{ search: '-9', ...FEW }, 200],
      [{ search: '9' }, 400],
      [{ search: '.-@' }, 400],
      [{ search: '%_%' }, 400],
    ];
    const SEARCHES_OF_ACCOUNT: typeof SEARCHES = [
      [{ search: 'member-1234@' }, 200],
      [{ search: 'member-12' }, 200],
      [{ search: 'member' }, 400],
      [{ search: 'member', ...FEW }, 200],
      [{ search: '9' }, 400],
      [{ search: '9', ...FEW }, 200],
    ];
    /** A statement reads each row once more where it keeps those that it has found. */
    const MAX_ROWS = 2 * (MAX_SEARCHED + 1) + MAX_READS_PER_ITEM * LIMIT;

    async function expectBounded(query: Query, status: number, maxRows = MAX_ROWS): Promise<void> {
      const faults = [];
      for (const page of status === 200 ? [1, 5] : [1]) {
        const parameters = new URLSearchParams({ ...query, limit: `${LIMIT}`, page: `${page}` });
        const counters = await countersOf(query.account_id ?? 'users');
        const url = `/v1/users?${parameters.toString()}`;
        faults.push(...(await excessOfRequest(filled, url, maxRows + counters, maxRows + counters, status)));
      }
      expect(faults).toEqual([]);
    }

    it.each(SEARCHES)('%o read no more than the bound', (query, status) => expectBounded(query, status));

    it.each(SEARCHES_OF_ACCOUNT)('%o in one account read no more than the bound', (query, status) =>
      expectBounded({ ...query, account_id: account }, status),
    );

    it('read the users of a small account rather than the index', async () => {
      const [other] = await filled.service.sql<{ account_id: string }>(
        'SELECT account_id FROM users GROUP BY account_id ORDER BY count(*) DESC OFFSET 1 LIMIT 1',
      );
      const query = { account_id: other!.account_id, search: 'user' };
      await expectBounded(query, 200, 2_500);
      await expectBounded({ ...query, search: 's' }, 200, 2_500);
    });

    it('are exported without a bound', async () => {
      const { status, text } = await filled.admin.api.get('/v1/users?search=EXAMPLE.ORG&format=csv');
      expect([status, text.trim().split('\n').length]).toEqual([200, MEMBERS + 1]);
    });

    it('keep the bound without the index of trigrams', async () => {
      const [index] = await filled.service.sql<{ definition: string }>(
        `SELECT pg_get_indexdef('users_search'::regclass) AS definition`,
      );
      await filled.service.sql('DROP INDEX users_search');
      try {
        await expectBounded({ search: RARE_PART }, 400);
        await expectBounded({ search: 'user-12', ...FEW }, 200);
        await expectBounded({ search: 'member-12', account_id: account }, 400);
        await expectBounded({ search: 'member-12', account_id: account, ...FEW }, 200);
      } finally {
        await filled.service.sql(index!.definition);
      }
    });
  });

  it('of the sessions of a user and of an account read about as many rows as they return', async () => {
    expect(await excessOf(filled, '/v1/auth/sessions', {})).toEqual([]);
    expect(await excessOf(filled, `/v1/accounts/${account}/sessions`, {})).toEqual([]);
  });

  it.each(['account', 'platform'])('of the API keys of the %s read no expired ones', async (of) => {
    const query: Query = of === 'account' ? { account_id: account } : {};
    for (const page of ['1', '2'])
      expect(await excessOf(filled, '/v1/api-keys', { ...query, page })).toEqual([]);
    const { body } = await filled.admin.api.get(`/v1/api-keys?${new URLSearchParams(query).toString()}`);
    expect(body.data).toHaveLength((2 * API_KEYS) / 1000);
  });

  it('of sessions read no more of earlier pages than the bound, and none in exports', async () => {
    const lastPage = MAX_EARLIER_SESSIONS / LIMIT;
    const lists = [
      '/v1/auth/sessions',
      `/v1/accounts/${account}/sessions`,
      `/v1/users/${filled.admin.id}/sessions`,
    ];
    for (const path of lists) {
      const deepest = { page: `${lastPage}` };
      expect(await excessOf(filled, path, deepest, MAX_EARLIER_SESSIONS, 2 * MAX_EARLIER_SESSIONS)).toEqual(
        [],
      );
      const { status, body } = await filled.admin.api.get(`${path}?limit=${LIMIT}&page=${lastPage + 1}`);
      expect([status, body.error]).toEqual([400, 'invalid_request']);
    }
    const url = `/v1/accounts/${account}/sessions?format=csv`;
    expect(await excessOfRequest(filled, url, 100, 200)).toEqual([]);
    const { text } = await filled.admin.api.get(url);
    expect(text.trim().split('\n')).toHaveLength(1 + SESSIONS + 1); // the header, and the session of the account itself
  });

  describe('of a search of all types', () => {
    /** The newest rows and those of the index, at each of up to four steps. */
    const rows = 4 * (MAX_NEWEST + MAX_INDEXED);

    it.each(['example.org', 'account', 'user-12', 'member 19', '-1234@', 'nothing-has-this'])(
      'reads a bounded number of rows: %s',
      async (text) => {
        expect(await excessOfRequest(filled, `/v1/search?q=${encodeURIComponent(text)}`, rows, rows)).toEqual(
          [],
        );
      },
    );

    it('finds old accounts and users by any part of their names, by an index', async () => {
      const { service, admin } = filled;
      for (const table of ['accounts', 'users']) {
        const oldest = `(SELECT id FROM ${table} ORDER BY created_at, id LIMIT 1)`;
        await service.sql(`UPDATE ${table} SET name = 'Kafé Zwölfklang' WHERE id = ${oldest}`);
      }
      const url = '/v1/search?q=olfkla';
      const typesFound = async (): Promise<string[]> =>
        (await admin.api.get(url)).body.data.map(({ type }: { type: string }) => type);
      expect((await typesFound()).toSorted()).toEqual(['account', 'user']);
      expect(await excessOfRequest(filled, url, rows, rows)).toEqual([]);
      await service.sql('DROP INDEX accounts_text, users_text');
      expect(await typesFound()).toEqual([]);
      expect(await excessOfRequest(filled, url, rows, rows)).toEqual([]);
    });
  });
});
