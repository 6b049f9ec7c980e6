import { FIRST_SCANNED, MAX_SCANNED } from '../../../src/platform/database/lists/amount-range';
import { MAX_INDEXED, MAX_NEWEST } from '../../../src/platform/database/lists/part-search';
import { exampleId } from '../../../src/platform/http/response-fields';
import {
  combinations,
  exampleFilters,
  excessOf,
  excessOfRequest,
  FilledService,
  fillSql,
  Query,
  startFilled,
  stopFilled,
} from '../../support/list-reads';
import { documentedOperations } from '../../support/operations';

const TRANSACTIONS = 100_000;

/**
 * By list: values that only the oldest rows have, and values that most rows have. Other filters get their documented example,
 * which half of the rows have.
 */
const CURSOR_LISTS: readonly (readonly [path: string, rare: Query, frequent: Query])[] = [
  [
    '/v1/transactions',
    {
      status: 'failed',
      type: 'refund',
      reference: 'order-7',
      source_transaction_id: exampleId('txn').replace(/.$/, 'r'),
      payment_request_id: exampleId('pay'),
    },
    {
      status: 'succeeded',
      type: 'payment',
      reference: 'subscription',
      payment_request_id: exampleId('pay'),
    },
  ],
  [
    '/v1/payments',
    { status: 'failed', customer_email: 'customer-9@example.com', reference: 'order-9' },
    { status: 'succeeded', customer_email: 'frequent@example.com', reference: 'subscription' },
  ],
  [
    '/v1/subscriptions',
    { status: 'canceled', customer_email: 'customer-9@example.com', reference: 'order-9' },
    { status: 'active', customer_email: 'frequent@example.com', reference: 'subscription' },
  ],
  [
    '/v1/unapplied-payments',
    { status: 'needs_attention', reason: 'canceled' },
    { status: 'returned', reason: 'amount_mismatch' },
  ],
  [
    '/v1/events',
    { type: 'transaction.failed', object_id: exampleId('txn') },
    { type: 'transaction.succeeded', object_id: exampleId('txn') },
  ],
];

/** The audit log, which everybody writes and few people read, has an index for each filter and none for two together. */
const AUDIT_LOG: readonly Query[] = [
  {},
  { actor_id: 'usr_rare' },
  { action: 'account.suspend' },
  { object_id: 'acc_rare' },
  { outcome: 'refused' },
  { actor_id: 'usr_frequent' },
  { action: 'account.read' },
  { object_id: 'acc_frequent' },
  { outcome: 'succeeded' },
];

/** The lists of reads-of-records.e2e.spec.ts, and saved views, of which a user has few. */
const OTHER_LISTS = [
  '/v1/account/entries',
  '/v1/accounts/{account_id}/entries',
  '/v1/accounts/{account_id}/notes',
  '/v1/adjustments',
  '/v1/approvals',
  '/v1/requests',
  '/v1/saved-views',
  '/v1/transfers',
  '/v1/users/{user_id}/notes',
  '/v1/webhook-deliveries',
  '/v1/webhooks',
  '/v1/webhooks/{webhook_id}/deliveries',
];

const tableOf = (path: string): string =>
  path === '/v1/payments' ? 'payment_requests' : path.slice('/v1/'.length).replace('-', '_');

describe(`Lists at ${TRANSACTIONS} transactions`, () => {
  let filled: FilledService;
  let accounts: string[];

  beforeAll(async () => {
    filled = await startFilled(TRANSACTIONS, null);
    for (const [path, , frequent] of CURSOR_LISTS) await fillExamples(path, frequent);
    const largest = `SELECT account_id FROM transactions GROUP BY account_id ORDER BY count(*) DESC`;
    const [large] = await filled.service.sql<{ account_id: string }>(`${largest} LIMIT 1`);
    const [other] = await filled.service.sql<{ account_id: string }>(`${largest} OFFSET 5 LIMIT 1`);
    accounts = [large!.account_id, other!.account_id];
  });
  afterAll(() => stopFilled(filled));

  /** @returns the documented examples of the filters by a column that nothing else fills */
  async function examplesToFill(path: string, frequent: Query): Promise<Query> {
    const columns = await filled.service.sql<{ name: string }>(
      'SELECT column_name AS name FROM information_schema.columns WHERE table_name = $1',
      [tableOf(path)],
    );
    const examples = Object.entries(await exampleFilters(filled.service.url, path));
    const isUnfilled = (filter: string): boolean =>
      !(filter in frequent) && columns.some(({ name }) => name === filter);
    return Object.fromEntries(examples.filter(([filter]) => isUnfilled(filter)));
  }

  async function fillExamples(path: string, frequent: Query): Promise<void> {
    const table = tableOf(path);
    for (const [column, value] of Object.entries(await examplesToFill(path, frequent))) {
      const half = 'ascii(right(id, 1)) % 2 = 0';
      await filled.service.sql(`UPDATE ${table} SET ${column} = $1 WHERE ${half}`, [value]);
      await filled.service.sql(`VACUUM ANALYZE ${table}`);
    }
  }

  /** Reads a list from all positions. @returns what is wrong with the statements that the service sent */
  async function excessOfList(path: string, queries: readonly Query[]): Promise<string[]> {
    const table = tableOf(path);
    const middle = `SELECT id FROM ${table} ORDER BY id OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`;
    const [cursor] = await filled.service.sql<{ id: string }>(middle);
    const positions: Query[] = [
      { date_to: '2026-10-01' },
      { starting_after: cursor!.id },
      { ending_before: cursor!.id },
      { date_from: '2026-02-01', date_to: '2026-10-01', limit: '100' },
      { starting_after: cursor!.id, limit: '100' },
    ];
    const faults: string[] = [];
    for (const query of queries)
      for (const position of positions)
        faults.push(...(await excessOf(filled, path, { ...query, ...position })));
    return faults;
  }

  it('are all measured', async () => {
    const operations = await documentedOperations(filled.service.url);
    const lists = operations.filter(({ queryParameters }) => queryParameters.includes('starting_after'));
    const measured = [...CURSOR_LISTS.map(([path]) => path), ...OTHER_LISTS, '/v1/audit-log'];
    expect(lists.map(({ path }) => path).sort()).toEqual(measured.sort());
  });

  it.each(CURSOR_LISTS)(
    'of %s read about as many rows as they return, for every combination of filters',
    async (path, rare, frequent) => {
      const scopes = [{}, ...accounts.map((account_id) => ({ account_id }))];
      const examples = await exampleFilters(filled.service.url, path);
      const ofHalf = await examplesToFill(path, frequent);
      const filters = [
        ...combinations({ ...examples, ...rare }),
        ...combinations({ ...ofHalf, ...frequent }),
      ];
      const queries = scopes.flatMap((scope) => filters.map((filter) => ({ ...filter, ...scope })));
      expect(await excessOfList(path, queries)).toEqual([]);
    },
    300_000,
  );

  it('of the audit log read about as many rows as they return, for every filter', async () => {
    const queries = [...AUDIT_LOG, ...accounts.map((account_id) => ({ account_id }))];
    expect(await excessOfList('/v1/audit-log', queries)).toEqual([]);
  });

  it('of totals read what waits, the kept sums and the last entries, and not the journal', async () => {
    const { service } = filled;
    await service.sql(fillSql('journal'));
    await service.sql('VACUUM ANALYZE journal_entries'); // as the server does by itself
    const counted = `SELECT count(*)::integer AS rows FROM`;
    const [waiting] = await service.sql<{ rows: number }>(
      `${counted} (SELECT 1 FROM transactions WHERE status = 'pending'
                   UNION ALL SELECT 1 FROM unapplied_payments WHERE status <> 'returned') AS waiting`,
    );
    const [days] = await service.sql<{ rows: number }>(`${counted} daily_totals`);
    const [hours] = await service.sql<{ rows: number }>(`${counted} hourly_outcomes`);
    const [entries] = await service.sql<{ rows: number }>(`${counted} journal_entries`);
    expect(days!.rows).toBe(365);
    // The index knows one time for a megabyte, and the last one may not be full.
    const lastEntries = 2 * 5_800;
    expect(entries!.rows).toBeGreaterThan(10 * lastEntries);
    const url = '/v1/totals?from=2025-11-01&to=2026-10-31';
    const rows = waiting!.rows + days!.rows + hours!.rows + lastEntries;
    expect(await excessOfRequest(filled, url, rows, rows)).toEqual([]);
    const { body } = await filled.admin.api.get(url);
    expect(body.currencies[0].days).toHaveLength(365);
  });

  it.each(['/v1/transactions', '/v1/payments'])(
    'of %s read a bounded number of rows for a range of amounts, however many it has',
    async (path) => {
      const ranges: [Query, scanned: number][] = [
        [{ amount_min: '50', amount_max: '50' }, MAX_SCANNED],
        [{ amount_min: '50', amount_max: '60' }, MAX_SCANNED],
        [{ amount_min: '100', amount_max: '9000' }, MAX_SCANNED], // the newest have higher ones
        [{ amount_min: '100' }, FIRST_SCANNED],
        [{ amount_min: '9999' }, MAX_SCANNED],
        [
          { amount_min: '100', amount_max: '9000', status: 'succeeded', reference: 'subscription' },
          MAX_SCANNED,
        ],
      ];
      const faults: string[] = [];
      for (const scope of [{}, ...accounts.map((account_id) => ({ account_id }))])
        for (const [range, scanned] of ranges) {
          // The scan, its rows again for the end of it and for the page, and the page. The longest may read the whole table
          // instead, which is not much longer.
          const rows = 3 * scanned + 200 + (scanned === MAX_SCANNED ? TRANSACTIONS : 0);
          faults.push(...(await excessOf(filled, path, { ...range, ...scope }, rows, rows)));
        }
      expect(faults).toEqual([]);
    },
    300_000,
  );

  it.each(['/v1/transactions', '/v1/payments'])(
    'of %s sorted by amount read few rows without other filters, and a bounded number with them',
    async (path) => {
      const faults: string[] = [];
      for (const scope of [{}, ...accounts.map((account_id) => ({ account_id }))])
        for (const order of ['asc', 'desc']) {
          const few = 5 * FIRST_SCANNED;
          const sorted = { ...scope, sort: 'amount', order };
          faults.push(...(await excessOf(filled, path, sorted, few, few)));
          const cursor = await filled.admin.api.get(
            `${path}?${new URLSearchParams({ ...sorted, limit: '100' }).toString()}`,
          );
          const starting_after = cursor.body.data.at(-1).id as string;
          faults.push(...(await excessOf(filled, path, { ...sorted, starting_after }, few, few)));
          const rows = 3 * MAX_SCANNED + 200 + TRANSACTIONS;
          const filters: readonly Query[] = [
            { reference: 'subscription' },
            { status: 'failed' },
            { amount_max: '9' },
          ];
          for (const filter of filters)
            faults.push(...(await excessOf(filled, path, { ...sorted, ...filter }, rows, rows)));
        }
      expect(faults).toEqual([]);
    },
    300_000,
  );

  describe('of a search', () => {
    /** The newest rows and those of the index, at up to two steps. */
    const rows = 2 * (MAX_NEWEST + MAX_INDEXED);

    it.each(['subscription', 'order', 'customer', 'example.com', '999', 'nothing-has-this'])(
      'read a bounded number of rows: %s',
      async (text) => {
        expect(await excessOfRequest(filled, `/v1/search?q=${encodeURIComponent(text)}`, rows, rows)).toEqual(
          [],
        );
      },
    );

    it.each(['transactions', 'payment_requests', 'subscriptions'])(
      'find old references of %s by how their last word with a digit begins',
      async (table) => {
        const { service, admin } = filled;
        const [{ id }] = (await service.sql(
          `UPDATE ${table} SET reference = 'Ärmel-77/QX90210-de' WHERE id = (SELECT min(id) FROM ${table}) RETURNING id`,
        )) as [{ id: string }];
        for (const text of ['qx90', 'QX90210-DE', 'armel-77/qx902', '77/qx90210']) {
          const { body } = await admin.api.get(`/v1/search?q=${encodeURIComponent(text)}`);
          expect([text, body.data.map((one: { id: string }) => one.id)]).toEqual([
            text,
            expect.arrayContaining([id]),
          ]);
          expect(
            await excessOfRequest(filled, `/v1/search?q=${encodeURIComponent(text)}`, rows, rows),
          ).toEqual([]);
        }
      },
    );
  });
});
