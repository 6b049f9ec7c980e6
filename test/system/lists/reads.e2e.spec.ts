import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_SCANNED, MAX_SCANNED } from '../../../src/platform/database/amount-range';
import { exampleId } from '../../../src/platform/http/response-fields';
import { anAccount, theAdmin, Person } from '../../support/people';
import { StatementReads } from '../../support/rows-read';
import { SentStatements } from '../../support/sent-statements';
import { startTestService, TestService } from '../../support/service';

const TRANSACTIONS = 100_000;
/** Of the page lists: accounts, users, and sessions of one user. */
const ACCOUNTS = 20_000;
const SESSIONS = 3_000;

/** Items on a page, and how many rows and pages of 8 KiB a statement may read for each. */
const LIMIT = 20;
const MAX_READS_PER_ITEM = 10;

const [FILL, JOURNAL] = ['fill', 'journal'].map((name) =>
  readFileSync(join(__dirname, `../../../bench/growth/${name}.sql`), 'utf8'),
) as [string, string];

/** A part of the email of one user. */
const RARE_PART = 'r-1234@';

type Query = Readonly<Record<string, string>>;

/** By list: values that only the oldest rows have, and values that most rows have. */
const CURSOR_LISTS: readonly (readonly [path: string, rare: Query, frequent: Query])[] = [
  [
    '/v1/transactions',
    { status: 'failed', type: 'refund', reference: 'order-7', source_transaction_id: exampleId('txn') },
    { status: 'succeeded', type: 'payment', reference: 'subscription' },
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
  [
    '/v1/audit-log',
    { actor_id: 'usr_rare', action: 'account.suspend', object_id: 'acc_rare', outcome: 'refused' },
    { actor_id: 'usr_frequent', action: 'account.read', object_id: 'acc_frequent', outcome: 'succeeded' },
  ],
];

/** All combinations of the members of a query. */
function combinations(query: Query): Query[] {
  return Object.entries(query).reduce<Query[]>(
    (shorter, [name, value]) => [...shorter, ...shorter.map((subset) => ({ ...subset, [name]: value }))],
    [{}],
  );
}

/** A service on a database that fill.sql has filled. */
interface FilledService {
  readonly service: TestService;
  readonly admin: Person;
  readonly reads: StatementReads;
}

async function startFilled(transactions: number, accounts: number | null): Promise<FilledService> {
  const service = await startTestService();
  await service.sql(`SELECT set_config('growth.transactions', $1, false)`, [`${transactions}`]);
  await service.sql(`SELECT set_config('growth.accounts', $1, false)`, [`${accounts ?? ''}`]);
  await service.sql(FILL);
  return {
    service,
    admin: await theAdmin(service.api),
    reads: await StatementReads.on(service.databaseUrl),
  };
}

async function stop({ service, reads }: FilledService): Promise<void> {
  await reads.close();
  await service.stop();
}

/**
 * Requests a page.
 * @param counters how many counters a statement may read besides
 * @returns what is wrong with the statements that the service sent for it
 */
function excessOf(
  filled: FilledService,
  path: string,
  query: Query,
  counters = 0,
  maxPages = MAX_READS_PER_ITEM * LIMIT,
): Promise<string[]> {
  const url = `${path}?${new URLSearchParams({ ...query, limit: `${LIMIT}` }).toString()}`;
  return excessOfRequest(filled, url, MAX_READS_PER_ITEM * LIMIT + counters, maxPages);
}

/** @returns what is wrong with the statements that the service sends for a request, each of which may read that much */
async function excessOfRequest(
  { admin, reads }: FilledService,
  url: string,
  maxRows: number,
  maxPages: number,
): Promise<string[]> {
  const sent = new SentStatements();
  try {
    expect((await admin.api.get(url)).status).toBe(200);
  } finally {
    sent.stop();
  }
  return sent.faults(async (sql, values) => {
    if (!/^\s*\(?SELECT/.test(sql)) return null; // writes an entry of the audit log
    const { rows, pages } = await reads.of(sql, values);
    return rows > maxRows || pages > maxPages ? `${url} reads ${rows} rows, ${pages} pages` : null;
  });
}

describe(`Lists at ${TRANSACTIONS} transactions`, () => {
  let filled: FilledService;
  let accounts: string[];

  beforeAll(async () => {
    filled = await startFilled(TRANSACTIONS, null);
    const largest = `SELECT account_id FROM transactions GROUP BY account_id ORDER BY count(*) DESC`;
    const [large] = await filled.service.sql<{ account_id: string }>(`${largest} LIMIT 1`);
    const [other] = await filled.service.sql<{ account_id: string }>(`${largest} OFFSET 5 LIMIT 1`);
    accounts = [large!.account_id, other!.account_id];
  }, 120_000);
  afterAll(() => stop(filled));

  it.each(CURSOR_LISTS)(
    'of %s read about as many rows as they return, for every combination of filters',
    async (path, rare, frequent) => {
      const table = path
        .slice('/v1/'.length)
        .replace('payments', 'payment_requests')
        .replace('unapplied-payment_requests', 'unapplied_payments')
        .replace('-', '_');
      const middle = `SELECT id FROM ${table} ORDER BY id OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`;
      const [cursor] = await filled.service.sql<{ id: string }>(middle);
      const faults: string[] = [];
      for (const scope of [{}, ...accounts.map((account_id) => ({ account_id }))]) {
        for (const query of [...combinations(rare), ...combinations(frequent)]) {
          const positions: Query[] = [
            { date_to: '2026-10-01' },
            { starting_after: cursor!.id },
            { ending_before: cursor!.id },
          ];
          for (const position of positions)
            faults.push(...(await excessOf(filled, path, { ...query, ...scope, ...position })));
        }
      }
      expect(faults).toEqual([]);
    },
    300_000,
  );

  it('of totals read what waits, the kept sums and the last entries, and not the journal', async () => {
    const { service } = filled;
    await service.sql(JOURNAL);
    await service.sql('VACUUM ANALYZE journal_entries'); // as the server does by itself
    const counted = `SELECT count(*)::integer AS rows FROM`;
    const [waiting] = await service.sql<{ rows: number }>(
      `${counted} (SELECT 1 FROM transactions WHERE status = 'pending'
                   UNION ALL SELECT 1 FROM unapplied_payments WHERE status <> 'returned') AS waiting`,
    );
    const [days] = await service.sql<{ rows: number }>(`${counted} daily_totals`);
    const [entries] = await service.sql<{ rows: number }>(`${counted} journal_entries`);
    expect(days!.rows).toBe(365);
    // The index knows one time for a megabyte, and the last one may not be full.
    const lastEntries = 2 * 5_800;
    expect(entries!.rows).toBeGreaterThan(10 * lastEntries);
    const url = '/v1/totals?from=2025-11-01&to=2026-10-31';
    const rows = waiting!.rows + days!.rows + lastEntries;
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
        [{ amount_min: '100', amount_max: '9000' }, FIRST_SCANNED],
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
          // The scan, its rows again for the end of it and for the page, and the page.
          const rows = 3 * scanned + 200;
          faults.push(...(await excessOf(filled, path, { ...range, ...scope }, rows, rows)));
        }
      expect(faults).toEqual([]);
    },
    300_000,
  );
});

describe(`Page lists at ${ACCOUNTS} accounts and users`, () => {
  let filled: FilledService;
  let account: string;

  beforeAll(async () => {
    filled = await startFilled(1_000, ACCOUNTS);
    account = (await anAccount(filled.service.api)).accountId;
    // The live sessions of the admin and of the account are between ended and newer ones.
    await filled.service.sql(
      `INSERT INTO sessions (id, user_id, account_id, role, ip, created_at, last_used_at, expires_at, ended_at)
       SELECT kind || lpad(n::text, 25, '0'), CASE kind WHEN 'ses_1' THEN $1 ELSE 'usr_other' END, CASE kind WHEN 'ses_3' THEN NULL ELSE $2 END,
              'admin', '', now(), now(), now() + interval '1 day', CASE kind WHEN 'ses_2' THEN now() END
       FROM generate_series(1, ${SESSIONS}) AS n, unnest(ARRAY['ses_1', 'ses_2', 'ses_3']) AS kind`,
      [filled.admin.id, account],
    );
    await filled.service.runDueTasks();
    await filled.service.sql('VACUUM ANALYZE');
  }, 120_000);
  afterAll(() => stop(filled));

  /** The pages of a list on which a position falls, from the newest to the oldest row. */
  const pagesOf = (total: number): number[] =>
    [0, 0.3, 0.7, 1].map((part) => Math.max(1, Math.ceil((total * part) / LIMIT)));

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
      const faults: string[] = [];
      const [counters] = await filled.service.sql<{ count: number }>(
        'SELECT count(*)::integer FROM list_counts',
      );
      expect(counters!.count).toBeLessThan(ACCOUNTS / 5);
      for (const query of queries) {
        const { body } = await filled.admin.api.get(`${path}?${new URLSearchParams(query).toString()}`);
        const total: number = body.pagination.total ?? body.pagination.total_records;
        expect(total).toBeGreaterThan(0);
        for (const page of pagesOf(total))
          faults.push(...(await excessOf(filled, path, { ...query, page: `${page}` }, counters!.count)));
      }
      expect(faults).toEqual([]);
    },
    120_000,
  );

  it('of the sessions of a user and of an account read about as many rows as they return', async () => {
    expect(await excessOf(filled, '/v1/auth/sessions', {})).toEqual([]);
    expect(await excessOf(filled, `/v1/accounts/${account}/sessions`, {})).toEqual([]);
  });
});
