import { idRange } from '../../../kernel/ids';
import type { CursorRequest } from '../../../kernel/pages';
import type { AmountFilter } from '../account-owned-repository';
import { comparedColumns, listBranches, residualConditions } from './cursor-list';
import type { ListFilters } from './list-filters';
import type { Placeholder, Statement } from '../tx';
import { buildStatement } from '../tx';

/**
 * How many rows one statement reads to find those of a range. Amounts that have nothing to do with the time are then found
 * among millions of rows: a range has so few rows that all are read, or so many that the newest fill a page.
 */
export const MAX_SCANNED = 15_000;

/** How many rows are read first: they fill a page of most ranges without an upper bound. */
export const FIRST_SCANNED = 500;

/** A row of a scan: whether it may have missed older rows, and a row of the page; that is null if there is none. */
export interface ScannedRow {
  readonly is_cut: boolean;
  readonly id: string | null;
}

/** Rows in the order of the id, with their `number`. If there are `maxRows` of them, there may be more. */
interface Scan {
  readonly branches: readonly string[];
  readonly maxRows: number;
  readonly isOrdered: boolean;
}

/**
 * Statements of which the first one that is not cut, or that fills the page, has the page of a list with a range of
 * amounts: few rows of the range, wherever they are, or a range of many rows, which the newest contain (decision 51).
 * @param filter as in listStatement, without the range
 */
export function amountStatements(
  filters: ListFilters,
  columns: string,
  filter: object,
  range: AmountFilter,
  page: CursorRequest,
): Statement[] {
  const scans = [
    [scanInOrder, FIRST_SCANNED],
    [scanByAmount, MAX_SCANNED],
    [scanInOrder, MAX_SCANNED],
  ] as const;
  return scans.map(([scan, maxScanned]) =>
    buildStatement((placeholder) => {
      const scanned = scan(filters, filter, range, page, placeholder, maxScanned);
      const found = rowsOfPage(filters, columns, filter, placeholder);
      return toPage(found, scanned, page, placeholder);
    }),
  );
}

/** The rows of the range by the index of amounts: in the order of the id if it is one amount. */
function scanByAmount(
  filters: ListFilters,
  filter: object,
  { amountMin = 1, amountMax = Number.MAX_SAFE_INTEGER }: AmountFilter,
  { startingAfter, endingBefore }: CursorRequest,
  placeholder: Placeholder,
  maxRows: number,
): Scan {
  const { accountId, dateFrom, dateTo } = filter as Record<string, string & Date>;
  const all = idRange(filters.prefix, dateFrom, dateTo);
  const before = placeholder(startingAfter ?? all.before);
  const after = placeholder(endingBefore ?? all.after);
  const order = endingBefore === undefined ? 'DESC' : 'ASC';
  // As the index is sorted (see listIndices), read forwards or backwards.
  const nulls = accountId !== undefined ? '' : order === 'ASC' ? ' NULLS FIRST' : ' NULLS LAST';
  const ofAccount = accountId === undefined ? 'true' : `account_id = ${placeholder(accountId)}`;
  const row = (amount: number, id: string): string => `((SELECT ${placeholder(amount)}::bigint), ${id})`;
  const conditions = residualConditions(filters, filter, placeholder);
  const matches = [...conditions, `id < ${before}`, `id > ${after}`].join(' AND ');
  const rows = `SELECT account_id, id, ${matches} AS matches FROM ${filters.table}
    WHERE ${ofAccount} AND (amount, id) < ${row(amountMax, before)} AND (amount, id) > ${row(amountMin, after)}
    ORDER BY amount ${order}${nulls}, id ${order} LIMIT ${maxRows}`;
  const branch = `SELECT account_id, id, matches, row_number() OVER () AS number FROM (${rows}) AS ranged`;
  return { branches: [branch], maxRows, isOrdered: amountMin === amountMax };
}

/** The first rows that match the other filters, in the order of the list. */
function scanInOrder(
  filters: ListFilters,
  filter: object,
  { amountMin = 1, amountMax = Number.MAX_SAFE_INTEGER }: AmountFilter,
  page: CursorRequest,
  placeholder: Placeholder,
  maxScanned: number,
): Scan {
  const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
  // The index of the amounts has no status. Without it, the planner may read all of that index instead of the newest rows.
  const inRange = `amount BETWEEN ${placeholder(amountMin)} AND ${placeholder(amountMax)} AND status <> ''`;
  const columns = ['account_id', 'id', 'amount', ...comparedColumns(filters)].join(', ');
  let maxRows = maxScanned;
  const branches = listBranches(filters, columns, filter, page, placeholder, (count) => {
    maxRows = Math.ceil(maxScanned / count);
    return maxRows;
  }).map(
    (branch) =>
      `SELECT account_id, id, ${inRange} AS matches, row_number() OVER (ORDER BY id ${order}) AS number
       FROM (${branch}) AS ordered`,
  );
  return { branches, maxRows, isOrdered: true };
}

/** The page that a scan contains: of branches that were cut only up to where all of them were read. */
function toPage(
  found: string,
  { branches, maxRows, isOrdered }: Scan,
  { endingBefore, limit }: CursorRequest,
  placeholder: Placeholder,
): string {
  const [order, nearest, beyond, everything, isRead] =
    endingBefore === undefined ? ['DESC', 'max', '~', '', '>='] : ['ASC', 'min', '', '~', '<='];
  const reached = isOrdered ? `${nearest}(id)` : `'${beyond}'`;
  return `WITH scan AS MATERIALIZED (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}),
    cut AS MATERIALIZED (SELECT count(*) > 0 AS is_cut, coalesce(${isOrdered ? reached : `CASE WHEN count(*) > 0 THEN ${reached} END`}, '${everything}') AS reached
      FROM scan WHERE number = ${maxRows}),
    page AS MATERIALIZED (SELECT account_id, id FROM scan, cut WHERE matches AND id ${isRead} reached
      ORDER BY id ${order} LIMIT ${placeholder(limit + 1)})
    SELECT is_cut, found.* FROM cut
    LEFT JOIN (${found}) AS found ON true
    ORDER BY found.id ${order}`;
}

/**
 * Names the account, if there is one, so that the statement reaches one server only. The look-ups are one by one then:
 * a join could read all rows of an account that the planner takes for a small one.
 */
function rowsOfPage(
  { table }: ListFilters,
  columns: string,
  filter: object,
  placeholder: Placeholder,
): string {
  const { accountId } = filter as { accountId?: string };
  if (accountId === undefined) return `SELECT ${columns} FROM page JOIN ${table} USING (account_id, id)`;
  const byKey = `account_id = ${placeholder(accountId)} AND id = page.id`;
  return `SELECT rows.* FROM page CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} WHERE ${byKey} LIMIT 1) AS rows`;
}
