import { idRange } from '../../../kernel/ids';
import type { CursorRequest } from '../../../kernel/pages';
import type { AmountFilter } from '../account-owned-repository';
import { comparedColumns, listBranches, residualConditions } from './cursor-list';
import type { ListFilters } from './list-filters';
import { buildStatement, type Placeholder, type Statement } from '../tx';

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

/** A place in the order of the amounts, in which those of one amount are in the order of the id. */
export interface AmountPosition {
  readonly amount: number;
  readonly id: string;
}

/** The rows between two places in the order of the amounts, and between two ids; the bounds are not part of them. */
interface Bounds {
  readonly lowest: AmountPosition;
  readonly highest: AmountPosition;
  readonly oldest: string;
  readonly newest: string;
}

/** Rows with their `number`. If there are `maxRows` of them, there may be more. */
interface Scan {
  readonly branches: readonly string[];
  readonly maxRows: number;
}

/**
 * Which rows of a scan that was cut are certainly those of the page: `all`, if it is in the order of the page; `none`, if it
 * is in another; `reached`, if each of its branches is in the order of the id and may have been cut somewhere else.
 */
type Certain = 'all' | 'none' | 'reached';

interface ScanOptions {
  readonly scan: typeof scanByAmount;
  readonly maxRows: number;
  readonly certain: Certain;
  /** Where the scan begins, if not at the cursor of the page. */
  readonly from?: CursorRequest;
}

/** A page of a list, by what it is sorted. */
interface SortedPage {
  readonly filters: ListFilters;
  readonly columns: string;
  /** As in listStatement, without the range of amounts. */
  readonly filter: object;
  readonly page: CursorRequest;
  readonly sortedBy: readonly string[];
}

type ListPage = Omit<SortedPage, 'sortedBy'>;

/**
 * Statements of which the first one that is not cut, or that fills the page, has the page of a list with a range of
 * amounts: few rows of the range, wherever they are, or a range of many rows, which the newest contain (decision 51).
 */
export function amountStatements(
  list: ListPage,
  { amountMin = 1, amountMax = Number.MAX_SAFE_INTEGER }: AmountFilter,
): Statement[] {
  const { page } = list;
  const all = datedIds(list);
  const [oldest, newest] = [page.endingBefore ?? all.after, page.startingAfter ?? all.before];
  const lowest = { amount: amountMin, id: oldest };
  const highest = { amount: amountMax, id: newest };
  return scanStatements({ ...list, sortedBy: ['id'] }, { lowest, highest, oldest, newest }, [
    { scan: scanInOrder, maxRows: FIRST_SCANNED, certain: 'reached' },
    { scan: scanByAmount, maxRows: MAX_SCANNED, certain: amountMin === amountMax ? 'all' : 'none' },
    { scan: scanInOrder, maxRows: MAX_SCANNED, certain: 'reached' },
  ]);
}

/**
 * The same for a page in the order of the amounts, largest first, or smallest first for `endingBefore`: the first rows in
 * this order, or all of few that match the filter.
 * @param cursor the place from which the page begins; null for the beginning
 */
export function sortedStatements(
  list: ListPage,
  { amountMin = 1, amountMax = Number.MAX_SAFE_INTEGER }: AmountFilter,
  cursor: AmountPosition | null,
): Statement[] {
  const { after: oldest, before: newest } = datedIds(list);
  const ids = idRange(list.filters.prefix);
  const first = { amount: amountMin, id: ids.after };
  const last = { amount: amountMax, id: ids.before };
  const { limit, endingBefore } = list.page;
  const isAscending = endingBefore !== undefined;
  const lowest = isAscending && cursor !== null && isBefore(first, cursor) ? cursor : first;
  const highest = !isAscending && cursor !== null && isBefore(cursor, last) ? cursor : last;
  return scanStatements({ ...list, sortedBy: ['amount', 'id'] }, { lowest, highest, oldest, newest }, [
    { scan: scanByAmount, maxRows: FIRST_SCANNED, certain: 'all' },
    { scan: scanInOrder, maxRows: MAX_SCANNED, certain: 'none', from: { limit } },
    { scan: scanByAmount, maxRows: MAX_SCANNED, certain: 'all' },
  ]);
}

function scanStatements(list: SortedPage, bounds: Bounds, scans: readonly ScanOptions[]): Statement[] {
  const { filters, filter, page } = list;
  return scans.map(({ scan, maxRows, certain, from = page }) =>
    buildStatement((placeholder) => {
      const scanned = scan(filters, filter, bounds, from, placeholder, maxRows);
      return toPage(list, scanned, certain, placeholder);
    }),
  );
}

function datedIds({ filters: { prefix }, filter }: ListPage) {
  const { dateFrom, dateTo } = filter as { dateFrom?: Date; dateTo?: Date };
  return idRange(prefix, dateFrom, dateTo);
}

const isBefore = (one: AmountPosition, other: AmountPosition): boolean =>
  one.amount === other.amount ? one.id < other.id : one.amount < other.amount;

/** The rows between the bounds by the index of amounts: in the order of the id if it is one amount. */
function scanByAmount(
  filters: ListFilters,
  filter: object,
  { lowest, highest, oldest, newest }: Bounds,
  { endingBefore }: CursorRequest,
  placeholder: Placeholder,
  maxRows: number,
): Scan {
  const { accountId } = filter as { accountId?: string };
  const order = endingBefore === undefined ? 'DESC' : 'ASC';
  // As the index is sorted (see listIndices), read forwards or backwards.
  const nulls = accountId !== undefined ? '' : order === 'ASC' ? ' NULLS FIRST' : ' NULLS LAST';
  const ofAccount = accountId === undefined ? 'true' : `account_id = ${placeholder(accountId)}`;
  const ofIds = `id < ${placeholder(newest)} AND id > ${placeholder(oldest)}`;
  const matches = [...residualConditions(filters, filter, placeholder), ofIds].join(' AND ');
  const rows = `SELECT account_id, id, amount, ${matches} AS matches FROM ${filters.table}
    WHERE ${ofAccount} AND ${between(lowest, highest, placeholder)}
    ORDER BY amount ${order}${nulls}, id ${order} LIMIT ${maxRows}`;
  const branch = `SELECT account_id, id, amount, matches, row_number() OVER () AS number FROM (${rows}) AS ranged`;
  return { branches: [branch], maxRows };
}

/** The first rows that match the other filters, in the order of the list. */
function scanInOrder(
  filters: ListFilters,
  filter: object,
  { lowest, highest }: Bounds,
  page: CursorRequest,
  placeholder: Placeholder,
  maxScanned: number,
): Scan {
  const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
  // The index of the amounts has no status. Without it, the planner may read all of that index instead of the newest rows.
  const inRange = `${between(lowest, highest, placeholder)} AND status <> ''`;
  const columns = ['account_id', 'id', 'amount', ...comparedColumns(filters)].join(', ');
  let maxRows = maxScanned;
  const list = listBranches(filters, columns, filter, page, placeholder, (count) => {
    maxRows = Math.ceil(maxScanned / count);
    return maxRows;
  });
  const branches = list.branches.map(
    (branch) =>
      `SELECT account_id, id, amount, ${inRange} AS matches, row_number() OVER (ORDER BY id ${order}) AS number
       FROM (${branch}) AS ordered`,
  );
  return { branches, maxRows };
}

/** The first value is a subquery, as in listStatement. */
function between(lowest: AmountPosition, highest: AmountPosition, placeholder: Placeholder): string {
  const row = ({ amount, id }: AmountPosition): string =>
    `((SELECT ${placeholder(amount)}::bigint), ${placeholder(id)})`;
  return `(amount, id) < ${row(highest)} AND (amount, id) > ${row(lowest)}`;
}

/** The page that a scan contains: of one that was cut only the rows that are certain. */
function toPage(
  { page: { endingBefore, limit }, sortedBy, ...list }: SortedPage,
  { branches, maxRows }: Scan,
  certain: Certain,
  placeholder: Placeholder,
): string {
  const found = rowsOfPage(list, placeholder);
  const [order, nearest, beyond, everything, isRead] =
    endingBefore === undefined ? ['DESC', 'max', '~', '', '>='] : ['ASC', 'min', '', '~', '<='];
  const reached = { all: `'${everything}'`, none: `'${beyond}'`, reached: `${nearest}(id)` }[certain];
  const orderBy = (rows: string): string => sortedBy.map((column) => `${rows}.${column} ${order}`).join(', ');
  return `WITH scan AS MATERIALIZED (${branches.map((branch) => `(${branch})`).join(' UNION ALL ')}),
    cut AS MATERIALIZED (SELECT count(*) > 0 AS is_cut, coalesce(CASE WHEN count(*) > 0 THEN ${reached} END, '${everything}') AS reached
      FROM scan WHERE number = ${maxRows}),
    page AS MATERIALIZED (SELECT account_id, id FROM scan, cut WHERE matches AND id ${isRead} reached
      ORDER BY ${orderBy('scan')} LIMIT ${placeholder(limit + 1)})
    SELECT is_cut, found.* FROM cut
    LEFT JOIN (${found}) AS found ON true
    ORDER BY ${orderBy('found')}`;
}

/**
 * Names the account, if there is one, so that the statement reaches one server only. The look-ups are one by one then:
 * a join could read all rows of an account that the planner takes for a small one.
 */
function rowsOfPage(
  { filters: { table }, columns, filter }: Omit<ListPage, 'page'>,
  placeholder: Placeholder,
): string {
  const { accountId } = filter as { accountId?: string };
  if (accountId === undefined) return `SELECT ${columns} FROM page JOIN ${table} USING (account_id, id)`;
  const byKey = `account_id = ${placeholder(accountId)} AND id = page.id`;
  return `SELECT rows.* FROM page CROSS JOIN LATERAL (SELECT ${columns} FROM ${table} WHERE ${byKey} LIMIT 1) AS rows`;
}
