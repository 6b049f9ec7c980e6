import { exampleId } from '../../../src/platform/http/response-fields';
import {
  combinations,
  exampleFilters,
  excessOf,
  FilledService,
  fillSql,
  Query,
  startFilled,
  stopFilled,
} from '../../support/list-reads';

/** Of each list, half of them of one account. */
const ROWS = 20_000;

/** The time of row `n`, and its id by a function of fill.sql. */
const AT = `timestamptz '2026-01-01' + n * interval '1 second'`;
const ID = (prefix: string): string => `pg_temp.id('${prefix}', ${AT}, n)`;
const OLD = `n < ${ROWS / 100}`;

const DATES = { date_from: '2026-01-01T01:00:00Z', date_to: '2026-01-01T04:00:00Z', limit: '100' };

/** What the lists are filled with: the values of some filters only the oldest rows have. */
const FILL = (large: string, small: string): string[] => {
  const account = `CASE WHEN n % 2 = 0 THEN '${large}' ELSE '${small}' END`;
  const rows = `generate_series(1, ${ROWS}) AS n`;
  return [
    `INSERT INTO adjustments (account_id, id, amount, currency, type, status, reason, reference, created_by, created_at, updated_at)
     SELECT ${account}, ${ID('adj')}, 1, 'USD', 'credit', CASE WHEN ${OLD} THEN 'rejected' ELSE 'posted' END, 'a reason',
            CASE WHEN ${OLD} THEN 'rare' ELSE 'frequent' END, '${exampleId('usr')}', ${AT}, ${AT} FROM ${rows}`,
    `INSERT INTO transfers (account_id, id, amount, currency, status, direction, from_account_id, from_name, parts, reference, reversal_of,
                            source_transaction_id, capture, created_at, updated_at)
     SELECT ${account}, ${ID('trf')}, 1, 'USD', CASE WHEN ${OLD} THEN 'canceled' ELSE 'succeeded' END, CASE WHEN ${OLD} THEN 'in' ELSE 'out' END,
            '${large}', 'Large', '[]', CASE WHEN ${OLD} THEN 'rare' ELSE 'frequent' END, CASE WHEN n % 100 = 0 THEN ${ID('trf')} END,
            CASE WHEN n % 100 = 1 THEN ${ID('txn')} END, 'automatic', ${AT}, ${AT} FROM ${rows}`,
    `INSERT INTO request_log (account_id, id, request_id, caller_id, method, path, http_status, error, duration_ms, created_at)
     SELECT ${account}, ${ID('req')}, 'request-' || n, '${exampleId('usr')}', 'POST', '/v1/transactions', CASE WHEN n % 2 = 0 THEN 400 ELSE 201 END,
            CASE WHEN ${OLD} THEN 'forbidden' WHEN n % 3 = 0 THEN 'invalid_request' END, 1, ${AT} FROM ${rows}`,
    `INSERT INTO approvals (account_id, id, type, object_id, details, reason, status, requested_by, created_at, updated_at, expires_at)
     SELECT ${account}, ${ID('apr')}, CASE WHEN ${OLD} THEN 'make_admin' ELSE 'adjustment' END, '${exampleId('acc')}', '{}', 'a reason',
            CASE WHEN ${OLD} THEN 'rejected' ELSE 'approved' END, '${exampleId('usr')}', ${AT}, ${AT}, ${AT} FROM ${rows}`,
    `INSERT INTO webhook_endpoints (account_id, id, url, secrets, failures, created_at, updated_at)
     SELECT ${account}, ${ID('whk')}, 'https://example.com', '[]', 0, ${AT}, ${AT} FROM ${rows}`,
    `UPDATE webhook_endpoints SET failing_since = created_at WHERE created_at < timestamptz '2026-01-01' + interval '${ROWS / 100} seconds'`,
    `UPDATE webhook_endpoints SET disabled_at = created_at, disabled_reason = 'gone' WHERE created_at < timestamptz '2026-01-01' + interval '${ROWS / 200} seconds'`,
    `INSERT INTO webhook_deliveries (account_id, id, endpoint_id, event_id, event_type, status, attempts, created_at)
     SELECT account_id, ${ID('whd')}, endpoint, '${exampleId('evt')}', 'transaction.created', CASE WHEN ${OLD} THEN 'failed' ELSE 'succeeded' END, 1, ${AT}
     FROM ${rows}, (SELECT account_id, id AS endpoint FROM webhook_endpoints WHERE account_id = '${large}' ORDER BY id LIMIT 1) AS first`,
    `INSERT INTO notes (object_id, id, author_id, text, created_at)
     SELECT ${account}, ${ID('note')}, '${exampleId('usr')}', 'a note', ${AT} FROM ${rows}`,
    'ANALYZE',
  ];
};

let filled: FilledService;
let large: string;
let small: string;

beforeAll(async () => {
  filled = await startFilled(ROWS, null);
  const largest = `SELECT account_id FROM transactions GROUP BY account_id ORDER BY count(*) DESC LIMIT 2`;
  [large, small] = (await filled.service.sql<{ account_id: string }>(largest)).map(
    ({ account_id }) => account_id,
  ) as [string, string];
  await filled.service.sql(fillSql('journal'));
  for (const sql of FILL(large, small)) await filled.service.sql(sql);
});
afterAll(() => stopFilled(filled));

/** What the pages of a list read too much: the first one, those of dates, and those beside a row in the middle. */
async function excessOfPages(
  path: string,
  filters: readonly Query[],
  ids: string,
  dates = true,
): Promise<string[]> {
  const [middle] = await filled.service.sql<{ id: string }>(
    `SELECT id FROM (${ids}) AS listed ORDER BY id OFFSET (SELECT count(*) / 2 FROM (${ids}) AS counted) LIMIT 1`,
  );
  const positions: Query[] = [
    {},
    { starting_after: middle!.id },
    { ending_before: middle!.id },
    { starting_after: middle!.id, limit: '100' },
    ...(dates ? [{ date_to: '2026-01-01T03:00:00Z' }, { date_from: '2026-01-01T03:00:00Z' }, DATES] : []),
  ];
  const faults: string[] = [];
  for (const filter of filters)
    for (const position of positions)
      faults.push(...(await excessOf(filled, path, { ...filter, ...position })));
  return faults;
}

describe(`Lists of ${ROWS} records`, () => {
  it.each<[path: string, table: string, rare: Query, frequent: Query]>([
    [
      '/v1/adjustments',
      'adjustments',
      { status: 'rejected', reference: 'rare' },
      { status: 'posted', reference: 'frequent' },
    ],
    [
      '/v1/transfers',
      'transfers',
      { status: 'canceled', direction: 'in', reference: 'rare' },
      { status: 'succeeded', direction: 'out', reference: 'frequent' },
    ],
    ['/v1/requests', 'request_log', { error: 'forbidden' }, { error: 'invalid_request' }],
    [
      '/v1/approvals',
      'approvals',
      { status: 'rejected', type: 'make_admin' },
      { status: 'approved', type: 'adjustment' },
    ],
    ['/v1/webhooks', 'webhook_endpoints', { status: 'disabled' }, { status: 'failing' }],
  ])(
    'of %s read about as many rows as they return, with any filters',
    async (path, table, rare, frequent) => {
      const examples = await exampleFilters(filled.service.url, path);
      const others = Object.entries(examples).map(([name, value]) => ({ [name]: value }));
      const filters = [...combinations(rare), ...combinations(frequent), ...others];
      const scopes: Query[] = [{}, { account_id: large }, { account_id: small }];
      for (const scope of scopes) {
        const scoped = filters.map((filter) => ({ ...filter, ...scope }));
        expect(await excessOfPages(path, scoped, `SELECT id FROM ${table}`)).toEqual([]);
      }
    },
  );

  it('of the deliveries of an endpoint, of notes and of entries read about as many rows as they return', async () => {
    const [endpoint] = await filled.service.sql<{ id: string }>(
      'SELECT endpoint_id AS id FROM webhook_deliveries LIMIT 1',
    );
    const statuses: Query[] = [{}, { status: 'failed' }, { status: 'succeeded' }];
    const deliveries = 'SELECT id FROM webhook_deliveries';
    expect(await excessOfPages(`/v1/webhooks/${endpoint!.id}/deliveries`, statuses, deliveries)).toEqual([]);
    expect(await excessOfPages('/v1/webhook-deliveries', statuses, deliveries)).toEqual([]);
    const notes = `SELECT id FROM notes WHERE object_id = '${large}'`;
    expect(await excessOfPages(`/v1/accounts/${large}/notes`, [{}], notes, false)).toEqual([]);
    const numbers = `SELECT number AS id FROM journal_entries WHERE account_id = '${large}' AND leg = 'customer'`;
    const legs: Query[] = [{}, { legs: 'both' }];
    expect(await excessOfPages(`/v1/accounts/${large}/entries`, legs, numbers)).toEqual([]);
  });
});
