import { newId } from '../../../src/kernel/ids';
import { MAX_SCANNED } from '../../../src/platform/database/lists/amount-range';
import { anOwner, created, Owner, Person, theAdmin } from '../../support/people';
import { aTransaction } from '../../support/request-bodies';
import { startTestService, TestService } from '../../support/service';

type Query = Readonly<Record<string, string | number>>;
interface Row {
  readonly id: string;
  readonly account_id: string;
  readonly amount: number;
  readonly status: string;
  readonly reference: string;
}

/** More than one statement reads. */
const ROWS = 2.5 * MAX_SCANNED;
const FIRST = Date.parse('2026-03-01T00:00:00.000Z');
const timeOf = (index: number): Date => new Date(FIRST + index * 60_000);
/** The oldest rows, which one statement does not read to the end. */
const OLD = MAX_SCANNED + 500;
/** Amounts of the oldest rows only, of every twentieth row, of one row each, and the most frequent one. */
const amountOf = (index: number): number =>
  index < OLD ? 9_000 + (index % 10) : index % 20 === 0 ? 500 : index % 7 === 0 ? 10_000 + index : 999;

const LISTS = [
  ['/v1/transactions', 'transactions', 'txn'],
  ['/v1/payments', 'payment_requests', 'pay'],
] as const;

describe('Lists by ranges of amounts', () => {
  let service: TestService;
  let admin: Person;
  let owner: Owner;
  const rowsOf = new Map<string, Row[]>();

  beforeAll(async () => {
    service = await startTestService();
    admin = await theAdmin(service.api);
    owner = await anOwner(service.api);
    const other = await anOwner(service.api);
    for (const [path, table, prefix] of LISTS) {
      const rows = Array.from({ length: ROWS }, (_, index) => ({
        id: newId(prefix, timeOf(index)),
        account_id: index % 4 === 0 ? other.accountId : owner.accountId,
        amount: amountOf(index),
        status: index % 3 === 0 ? 'failed' : 'succeeded',
        reference: `r${index % 50}`,
        created_at: timeOf(index),
      }));
      const members = prefix === 'txn' ? "'payment'" : `'c@example.com', r.id, now()`;
      await service.sql(
        `INSERT INTO ${table} (id, account_id, amount, status, reference, created_at, updated_at, currency, metadata,
           ${prefix === 'txn' ? 'type' : 'customer_email, secret, expires_at'})
         SELECT r.id, r.account_id, r.amount, r.status, r.reference, r.created_at, r.created_at, 'USD', '{}', ${members}
         FROM jsonb_to_recordset($1) AS r (id text, account_id text, amount bigint, status text, reference text, created_at timestamptz)`,
        [JSON.stringify(rows)],
      );
      rowsOf.set(path, rows.toReversed());
    }
    await service.sql('VACUUM ANALYZE');
  });
  afterAll(() => service.stop());

  const get = (path: string, query: Query) =>
    admin.api.get(
      `${path}?${new URLSearchParams(Object.entries(query).map(([name, value]): [string, string] => [name, `${value}`])).toString()}`,
    );

  const byAmount = (one: Row, other: Row): number =>
    other.amount - one.amount || (one.id < other.id ? 1 : -1);

  const matching = (path: string, query: Query, order?: typeof byAmount): string[] =>
    (order ? rowsOf.get(path)!.toSorted(order) : rowsOf.get(path)!)
      .filter(
        (row) =>
          row.amount >= Number(query.amount_min ?? 1) &&
          row.amount <= Number(query.amount_max ?? Infinity) &&
          (query.status ?? row.status) === row.status &&
          (query.reference ?? row.reference) === row.reference &&
          (query.account_id ?? row.account_id) === row.account_id,
      )
      .map(({ id }) => id);

  const scopes = (): Query[] => [{}, { account_id: owner.accountId }];
  const queries = (): Query[] => [
    { amount_min: 500, amount_max: 500 },
    { amount_min: 500, amount_max: 501, status: 'failed' },
    { amount_min: 999, amount_max: 999, reference: 'r7' },
    { amount_min: 10_000 },
    { amount_min: 26_000, amount_max: 30_000, status: 'succeeded' },
    { amount_max: 9_000 },
    { amount_min: 9_003, amount_max: 9_004 },
    { amount_min: 5_000, amount_max: 4_000 },
    { amount_max: 498 },
    { amount_min: 999, amount_max: 1_000, reference: 'r7' },
    { amount_min: 999, amount_max: 1_000, status: 'failed', reference: 'r7' },
  ];

  it.each(LISTS)('of %s have exactly the pages of all rows that match, forwards and back', async (path) => {
    for (const scope of scopes()) {
      for (const query of queries().map((one): Query => ({ ...one, ...scope }))) {
        const expected = matching(path, query);
        for (const position of [0, Math.floor(expected.length / 2), Math.max(0, expected.length - 5)]) {
          const cursor: Query = position === 0 ? {} : { starting_after: expected[position - 1]! };
          const { status, body } = await get(path, { ...query, ...cursor });
          expect({ query, status, ids: body.data?.map(({ id }: Row) => id), more: body.has_more }).toEqual({
            query,
            status: 200,
            ids: expected.slice(position, position + 20),
            more: expected.length > position + 20,
          });
        }
        if (expected.length < 2) continue;
        const back = await get(path, { ...query, ending_before: expected.at(-1)!, limit: 7 });
        expect(back.body.data.map(({ id }: Row) => id)).toEqual(expected.slice(0, -1).slice(-7));
      }
    }
  });

  it.each(LISTS)('of %s sorted by amount have exactly the pages of all rows, both ways', async (path) => {
    const filters: Query[] = [
      {},
      { status: 'failed' },
      { reference: 'r7' },
      { status: 'failed', reference: 'r49' },
      { amount_min: 9_003, amount_max: 9_004 },
      { amount_min: 501, status: 'succeeded' },
      { amount_max: 498 },
    ];
    for (const query of scopes().flatMap((scope) => filters.map((one): Query => ({ ...one, ...scope })))) {
      const found = matching(path, query, byAmount);
      for (const [order, expected] of [
        ['desc', found],
        ['asc', found.toReversed()],
      ] as const) {
        const sorted = { ...query, sort: 'amount', order };
        for (const position of [0, Math.floor(expected.length / 2), Math.max(0, expected.length - 5)]) {
          const cursor: Query = position === 0 ? {} : { starting_after: expected[position - 1]! };
          const { status, body } = await get(path, { ...sorted, ...cursor });
          expect({ sorted, status, ids: body.data?.map(({ id }: Row) => id), more: body.has_more }).toEqual({
            sorted,
            status: 200,
            ids: expected.slice(position, position + 20),
            more: expected.length > position + 20,
          });
        }
        if (expected.length < 2) continue;
        const back = await get(path, { ...sorted, ending_before: expected.at(-1)!, limit: 7 });
        expect(back.body.data.map(({ id }: Row) => id)).toEqual(expected.slice(0, -1).slice(-7));
      }
    }
  });

  it('sorted by time take the other order too', async () => {
    const expected = matching('/v1/transactions', {}).toReversed();
    const first = await get('/v1/transactions', { order: 'asc' });
    expect(first.body.data.map(({ id }: Row) => id)).toEqual(expected.slice(0, 20));
    const next = await get('/v1/transactions', {
      sort: 'created_at',
      order: 'asc',
      starting_after: expected[19]!,
    });
    expect(next.body.data.map(({ id }: Row) => id)).toEqual(expected.slice(20, 40));
  });

  it('sorted by amount reject many rows that match the filter far away, and a cursor without an amount', async () => {
    const far = { sort: 'amount', amount_max: 9_009, date_from: timeOf(OLD).toISOString() };
    const { status, body } = await get('/v1/transactions', far);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    const found = await get('/v1/transactions', { ...far, amount_max: 999 });
    expect(found.body.data).toHaveLength(20);
    const [theirs] = rowsOf.get('/v1/transactions')!.filter((row) => row.account_id !== owner.accountId);
    for (const id of [newId('txn', timeOf(0)), theirs!.id]) {
      const unknown = await owner.api.get(`/v1/transactions?sort=amount&starting_after=${id}`);
      expect([unknown.status, unknown.body.message]).toEqual([400, 'Unknown cursor.']);
    }
  });

  it('sorted by amount are walked without a gap or a repetition while rows are added', async () => {
    const { api, accountId } = await anOwner(service.api);
    const amounts = Array.from({ length: 30 }, (_, index) => 100 + (index % 7));
    const ids: string[] = [];
    const add = async (amount: number) =>
      (await created(api, '/v1/transactions', aTransaction(accountId, { amount, type: 'credit' }))).id;
    for (const amount of amounts) ids.push(await add(amount));
    const seen: Row[] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.get(`/v1/transactions?sort=amount&limit=4${cursor}`);
      seen.push(...body.data);
      if (!body.has_more) break;
      cursor = `&starting_after=${body.data.at(-1).id}`;
      for (const amount of [99, 103, 108]) await add(amount);
    }
    const walked = seen.map(({ id }) => id);
    expect(new Set(walked).size).toBe(walked.length);
    expect(walked).toEqual(expect.arrayContaining(ids));
    const sums = seen.map(({ amount }) => amount);
    expect(sums).toEqual(sums.toSorted((one, other) => other - one));
  });

  it('reject a range of many rows of which too few are among the newest, and accept it with dates', async () => {
    const range = { amount_min: 9_000, amount_max: 9_009 };
    const { status, body } = await get('/v1/transactions', range);
    expect([status, body.error]).toEqual([400, 'invalid_request']);
    const frequent: Query = { amount_min: 999, amount_max: 1_000 };
    for (const many of [frequent, { ...frequent, status: 'failed' }]) {
      const newest = await get('/v1/transactions', many);
      expect(newest.body.data.map(({ id }: Row) => id)).toEqual(
        matching('/v1/transactions', many).slice(0, 20),
      );
    }
    const found = await get('/v1/transactions', { ...range, date_to: timeOf(OLD - 1).toISOString() });
    expect(found.body.data.map(({ id }: Row) => id)).toEqual(
      matching('/v1/transactions', range).slice(0, 20),
    );
  });

  it.each(['0', '-1', '1.5', '1e3', '9007199254740992', 'ten', ''])(
    'reject the amount "%s"',
    async (amount) => {
      for (const [path] of LISTS) {
        const { status, body } = await get(path, { amount_min: amount });
        expect([status, body.error]).toEqual([400, 'invalid_request']);
      }
    },
  );
});
