import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { theAdmin, Person } from '../../support/people';
import { StatementReads } from '../../support/rows-read';
import { SentStatements } from '../../support/sent-statements';
import { startTestService, TestService } from '../../support/service';

const TRANSACTIONS = 100_000;
/** Items on a page, and how many rows and pages of 8 KiB a statement may read for each. */
const LIMIT = 20;
const MAX_READS_PER_ITEM = 10;

const FILL = readFileSync(join(__dirname, '../../../bench/growth/fill.sql'), 'utf8');

type Query = Readonly<Record<string, string>>;

/** By list: values that only the oldest rows have, and values that most rows have. */
const CURSOR_LISTS: readonly (readonly [path: string, rare: Query, frequent: Query])[] = [
  [
    '/v1/transactions',
    { status: 'failed', type: 'refund', reference: 'order-7' },
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
];

/** All combinations of the members of a query. */
function combinations(query: Query): Query[] {
  return Object.entries(query).reduce<Query[]>(
    (shorter, [name, value]) => [...shorter, ...shorter.map((subset) => ({ ...subset, [name]: value }))],
    [{}],
  );
}

describe(`Lists at ${TRANSACTIONS} transactions`, () => {
  let service: TestService;
  let admin: Person;
  let reads: StatementReads;
  let accounts: string[];

  beforeAll(async () => {
    service = await startTestService();
    await service.sql(`SELECT set_config('growth.transactions', $1, false)`, [`${TRANSACTIONS}`]);
    await service.sql(FILL);
    admin = await theAdmin(service.api);
    reads = await StatementReads.on(service.databaseUrl);
    const largest = `SELECT account_id FROM transactions GROUP BY account_id ORDER BY count(*) DESC`;
    const [large] = await service.sql<{ account_id: string }>(`${largest} LIMIT 1`);
    const [other] = await service.sql<{ account_id: string }>(`${largest} OFFSET 5 LIMIT 1`);
    accounts = [large!.account_id, other!.account_id];
  }, 120_000);
  afterAll(async () => {
    await reads.close();
    await service.stop();
  });

  /** Requests a page. @returns what is wrong with the statements that the service sent for it */
  async function excessOf(path: string, query: Query): Promise<string[]> {
    const sent = new SentStatements();
    const url = `${path}?${new URLSearchParams({ ...query, limit: `${LIMIT}` }).toString()}`;
    try {
      expect((await admin.api.get(url)).status).toBe(200);
    } finally {
      sent.stop();
    }
    return sent.faults(async (sql, values) => {
      const { rows, pages } = await reads.of(sql, values);
      return Math.max(rows, pages) > MAX_READS_PER_ITEM * LIMIT
        ? `${url} reads ${rows} rows, ${pages} pages`
        : null;
    });
  }

  it.each(CURSOR_LISTS)(
    'of %s read about as many rows as they return, for every combination of filters',
    async (path, rare, frequent) => {
      const table = path
        .slice('/v1/'.length)
        .replace('payments', 'payment_requests')
        .replace('unapplied-payment_requests', 'unapplied_payments');
      const middle = `SELECT id FROM ${table} ORDER BY id OFFSET (SELECT count(*) / 2 FROM ${table}) LIMIT 1`;
      const [cursor] = await service.sql<{ id: string }>(middle);
      const faults: string[] = [];
      for (const scope of [{}, ...accounts.map((account_id) => ({ account_id }))]) {
        for (const query of [...combinations(rare), ...combinations(frequent)]) {
          const positions: Query[] = [
            { date_to: '2026-10-01' },
            { starting_after: cursor!.id },
            { ending_before: cursor!.id },
          ];
          for (const position of positions)
            faults.push(...(await excessOf(path, { ...query, ...scope, ...position })));
        }
      }
      expect(faults).toEqual([]);
    },
    300_000,
  );
});
