import Papa from 'papaparse';
import { newId } from '../../../src/kernel/ids';
import { aMember, anOwner, created, PASSWORD, Person, someEmail, theAdmin } from '../../support/people';
import { startTestService, TestService } from '../../support/service';

type Query = Readonly<Record<string, string>>;
interface Listed {
  readonly id: string;
  readonly email: string;
  readonly status: string;
  readonly type?: string;
  readonly role?: string;
  readonly account_id?: string;
  readonly name?: string;
  readonly created_at: string;
}

const ROWS = 120;
const LIMIT = 7;
const FIRST_DAY = Date.parse('2026-03-01T00:00:00.000Z');
const HOUR_MS = 3_600_000;

const STATUSES = ['active', 'suspended', 'pending', 'closed'];
const ROLES = ['user', 'admin', 'support', 'platform'];
/** Hours after the first day: some exactly at midnight, several at the same moment, and days without any. */
const hourOf = (index: number): number => (index % 9) * 24 + (index % 5) * 6;

const ACCOUNT_QUERIES: readonly Query[] = [
  {},
  { status: 'active' },
  { status: 'suspended' },
  { type: 'business' },
  { status: 'active', type: 'business' },
  { status: 'suspended', type: 'individual' },
  { created_after: '2026-03-02', created_before: '2026-03-05' },
  { created_after: '2026-03-02T06:00:00Z' },
  { created_before: '2026-03-06T11:59:59.999Z', type: 'individual' },
  { created_after: '2026-03-02T06:00:00Z', created_before: '2026-03-07T12:00:00Z', status: 'active' },
  { created_after: '2026-03-03T06:00:00Z', created_before: '2026-03-03T12:00:00Z' },
  { created_after: '2026-03-03T18:00:00Z', created_before: '2026-03-04T06:00:00Z' },
  { created_after: '2026-03-05', created_before: '2026-03-02' },
  { name: 'PLANTED 1' },
  { name: 'planted', status: 'active', type: 'business', created_after: '2026-03-02T06:00:00Z' },
  { name: 'lanted' },
  { name: 'Planted %' },
  { email: 'PLANTED-7@example.com' },
  { email: 'planted-7@example.com', status: 'closed' },
  { email: 'planted-7@example.com', id: 'acc_other' },
  { id: 'acc_other' },
];

const matches = (row: Listed, query: Query): boolean => {
  const { status, type, role, created_after: from, created_before: to } = query;
  const lastOf = (bound: string): number =>
    bound.includes('T') ? Date.parse(bound) : Date.parse(bound) + 24 * HOUR_MS - 1;
  const time = Date.parse(row.created_at);
  return (
    (status === undefined || row.status === status) &&
    (type === undefined || row.type === type) &&
    (role === undefined || row.role === role) &&
    (query.account_id === undefined || row.account_id === query.account_id) &&
    (query.search === undefined || row.email.toLowerCase().includes(query.search.toLowerCase())) &&
    (query.id === undefined || query.id.split(',').includes(row.id)) &&
    (query.email === undefined || row.email === query.email.toLowerCase()) &&
    (query.name === undefined || row.name!.toLowerCase().startsWith(query.name.toLowerCase())) &&
    (from === undefined || time >= Date.parse(from)) &&
    (to === undefined || time <= lastOf(to))
  );
};

const byTime = (one: Listed, other: Listed): number =>
  one.created_at === other.created_at
    ? Number(one.id < other.id) * 2 - 1
    : Date.parse(other.created_at) - Date.parse(one.created_at);

describe('Page lists (interface 4.2, 4.3)', () => {
  let service: TestService;
  let admin: Person;
  const accounts: string[] = [];

  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
    for (let index = 0; index < ROWS; index += 1) {
      const at = new Date(FIRST_DAY + hourOf(index) * HOUR_MS);
      accounts.push(newId('acc', at));
      const row = [STATUSES[index % 4], at, index % 3 === 0 ? 'business' : 'individual'];
      await service.sql(
        `INSERT INTO accounts (id, email, name, status, created_at, updated_at, type, currency, timezone, language,
           posted, held, pending_in, last_id_number)
         VALUES ($1, 'planted-' || $5 || '@example.com', 'Planted ' || $5, $2, $3, $3, $4, 'USD', 'UTC', 'en', 0, 0, 0, 0)`,
        [accounts[index], ...row, `${index}`],
      );
      await service.sql(
        `INSERT INTO credentials (kind, subject_id, email_key, password_hash, role, disabled)
         VALUES ('account', $1, 'planted-' || $2 || '@example.com', '', 'user', false)`,
        [accounts[index], `${index}`],
      );
      await service.sql(
        `INSERT INTO users (id, email, status, role, account_id, created_at, updated_at) VALUES ($1, $1, $2, $4, $5, $3, $3)`,
        [newId('usr', at), STATUSES[index % 3], at, ROLES[index % 4], accounts[index % 5]],
      );
    }
  });
  afterAll(() => service.stop());

  const page = async (
    path: string,
    query: Query,
    number: number,
  ): Promise<{ data: Listed[]; total: number }> => {
    const parameters = new URLSearchParams({ ...query, limit: `${LIMIT}`, page: `${number}` }).toString();
    const { status, body } = await admin.api.get(`${path}?${parameters}`);
    expect(status).toBe(200);
    return { data: body.data, total: body.pagination.total ?? body.pagination.total_records };
  };

  /** The ids of the items that an export has. */
  async function exported(path: string, query: Query): Promise<string[]> {
    const parameters = new URLSearchParams({ ...query, format: 'csv' }).toString();
    const { status, text } = await admin.api.get(`${path}?${parameters}`);
    expect(status).toBe(200);
    const { data, errors } = Papa.parse<Listed>(text, { header: true, skipEmptyLines: true });
    expect(errors).toEqual([]);
    return data.map(({ id }) => id);
  }

  /** Reads every page, the one after the last, and the export. */
  async function expectPages(path: string, queries: readonly Query[]): Promise<void> {
    const all = await service.sql<Listed & { created_at: Date }>(
      `SELECT * FROM ${path.slice('/v1/'.length)}`,
    );
    const rows = all.map((row): Listed => ({ ...row, created_at: row.created_at.toISOString() }));
    for (const query of queries) {
      const expected = rows.filter((row) => matches(row, query)).toSorted(byTime);
      const pages = Math.ceil(expected.length / LIMIT) + 1;
      for (let number = 1; number <= pages; number += 1) {
        const { data, total } = await page(path, query, number);
        const ids = expected.slice((number - 1) * LIMIT, number * LIMIT).map(({ id }) => id);
        expect({ query, number, total, ids: data.map(({ id }) => id) }).toEqual({
          query,
          number,
          total: expected.length,
          ids,
        });
      }
      const ids = expected.map(({ id }) => id);
      expect({ query, ids: await exported(path, query) }).toEqual({ query, ids });
    }
  }

  const accountQueries = (): readonly Query[] => {
    const ids = [accounts[3], accounts[11], 'acc_other', accounts[7], accounts[9], accounts[12]].join(',');
    return [
      ...ACCOUNT_QUERIES,
      { id: accounts[3]! },
      { id: ids },
      { id: ids, status: 'closed', type: 'business' },
      { id: ids, name: 'planted 1' },
      { id: ids, email: 'planted-7@example.com' },
      { id: ids, email: 'planted-8@example.com' },
      { id: ids, created_before: '2026-03-06' },
    ];
  };

  const userQueries = (): readonly Query[] => [
    {},
    { status: 'active' },
    { status: 'pending' },
    { role: 'support' },
    { role: 'user', status: 'active' },
    ...[accounts[3]!, accounts[4]!].flatMap((account_id): Query[] => [
      { account_id },
      { account_id, role: 'platform' },
      { account_id, status: 'active' },
      { account_id, role: 'platform', status: 'pending' },
      { account_id, search: 'R_' },
    ]),
    { account_id: 'acc_other' },
    { search: 'USR_0' },
    { search: '_0' },
    { search: '_', role: 'user', status: 'active' },
    { search: '%' },
    { search: '_%_' },
    { search: '\\' },
  ];

  /** While changes are logged, after they are counted, and while more are logged. */
  const moments: readonly (readonly [moment: string, prepare: () => Promise<unknown>])[] = [
    ['before the changes are counted', () => Promise.resolve()],
    ['after the changes are counted', () => service.runDueTasks()],
    [
      'after rows changed and disappeared',
      async () => {
        await service.sql(
          `UPDATE accounts SET status = 'suspended' WHERE status = 'active' AND type = 'business'`,
        );
        await service.sql(`UPDATE users SET status = 'active' WHERE status = 'pending'`);
        await service.sql(`UPDATE users SET role = 'user' WHERE role = 'support'`);
        await service.sql(`DELETE FROM users WHERE status = 'suspended' AND created_at < '2026-03-04'`);
        await service.sql('UPDATE users SET account_id = NULL WHERE account_id = $1', [accounts[0]]);
        const link = `UPDATE users SET account_id = $2, role = 'platform' WHERE account_id = $1 AND status = 'active'`;
        await service.sql(link, [accounts[1], accounts[3]]);
        await service.sql(`UPDATE users SET account_id = $1 WHERE account_id IS NULL AND role = 'user'`, [
          accounts[4],
        ]);
      },
    ],
    ['after these changes are counted', () => service.runDueTasks()],
  ];

  it.each(moments)('have exact pages and totals for every filter, %s', async (_, prepare) => {
    await prepare();
    await expectPages('/v1/accounts', accountQueries());
    await expectPages('/v1/users', userQueries());
  });

  it('count the changes that the API makes', async () => {
    const totals = async (): Promise<Record<string, number>> => ({
      accounts: (await page('/v1/accounts', {}, 1)).total,
      closed: (await page('/v1/accounts', { status: 'closed', type: 'business' }, 1)).total,
      users: (await page('/v1/users', {}, 1)).total,
    });
    const before = await totals();
    const owner = await anOwner(service.api);
    const members = async (): Promise<number> =>
      (await page('/v1/users', { account_id: owner.accountId }, 1)).total;
    expect(await members()).toBe(1);
    const member = await aMember(service.api, owner);
    expect(await members()).toBe(2);
    expect(await totals()).toEqual({ ...before, accounts: before.accounts! + 1, users: before.users! + 2 });
    await service.runDueTasks();
    expect((await admin.api.delete(`/v1/users/${member.id}`)).status).toBe(200);
    expect(await members()).toBe(1);
    expect((await admin.api.delete(`/v1/accounts/${owner.accountId}`)).status).toBe(200);
    const after = { ...before, accounts: before.accounts! + 1, closed: before.closed! + 1 };
    expect([await totals(), await members()]).toEqual([after, 0]);
    await service.runDueTasks();
    expect([await totals(), await members()]).toEqual([after, 0]);
  });

  it('count the members of an account, and what a search finds, exactly', async () => {
    const owner = await anOwner(service.api);
    const members = [];
    for (let index = 0; index < 9; index += 1) members.unshift((await aMember(service.api, owner)).id);
    const second = await owner.api.get('/v1/users?limit=4&page=2');
    expect(second.body.pagination).toMatchObject({ total_records: 10, total_pages: 3 });
    expect(second.body.data.map(({ id }: Listed) => id)).toEqual(members.slice(4, 8));
    const emails = (await owner.api.get('/v1/users')).body.data.map(({ email }: Listed) => email);
    const found = await admin.api.get(`/v1/users?search=${emails[3].slice(0, 20).toUpperCase()}`);
    expect(found.body).toMatchObject({ data: [{ email: emails[3] }], pagination: { total_records: 1 } });
  });

  it('of accounts take at most a hundred ids', async () => {
    const status = async (count: number): Promise<number> =>
      (await admin.api.get(`/v1/accounts?id=${Array(count).fill(accounts[3]).join(',')}`)).status;
    expect([await status(100), await status(101)]).toEqual([200, 400]);
  });

  it('show an owner nothing of another account, whichever filter is sent', async () => {
    const owner = await anOwner(service.api);
    const shown = async (query: string): Promise<number> =>
      (await owner.api.get(`/v1/users?${query}`)).body.pagination.total_records;
    expect(await shown(`account_id=${owner.accountId}`)).toBe(1);
    expect(await shown(`account_id=${accounts[3]}`)).toBe(0);
    expect(await shown('role=admin')).toBe(0);
  });

  it('of accounts reject the beginning of a name that more than a thousand accounts have', async () => {
    await service.sql(
      `INSERT INTO accounts (id, email, name, status, created_at, updated_at, type, currency, timezone, language,
         posted, held, pending_in, last_id_number)
       SELECT 'acc_0' || lpad(n::text, 25, '0'), n, 'Many ' || n, 'active', now(), now(), 'business', 'USD', 'UTC', 'en', 0, 0, 0, 0
       FROM generate_series(1, 1001) AS n`,
      [],
    );
    const list = (name: string) => admin.api.get(`/v1/accounts?name=${encodeURIComponent(name)}`);
    expect((await list('many 9')).body.pagination.total).toBe(111);
    const { status, body } = await list('many');
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    await service.sql(`DELETE FROM accounts WHERE name LIKE 'Many %'`);
  });

  it('stay exact while several replicas count and others sign up', async () => {
    const replica = await service.replica();
    try {
      const { total: before } = await page('/v1/users', {}, 1);
      const signUps = Array.from({ length: 40 }, (_, index) =>
        created([service, replica][index % 2]!.api, '/v1/users', { email: someEmail(), password: PASSWORD }),
      );
      let open = true;
      const finished = Promise.all(signUps).finally(() => (open = false));
      const totals: number[] = [];
      while (open) {
        await Promise.all([service.runDueTasks(), replica.runDueTasks()]);
        totals.push((await page('/v1/users', {}, 1)).total);
      }
      await finished;
      await Promise.all([service.runDueTasks(), replica.runDueTasks()]);
      totals.push((await page('/v1/users', {}, 1)).total);
      expect(totals).toEqual(totals.toSorted((one, other) => one - other));
      expect(totals.at(-1)).toBe(before + 40);
    } finally {
      await replica.stop();
    }
  });
});
