import { idRange } from '../../../kernel/ids';
import type { CursorRequest } from '../../../kernel/pages';
import { arrayOf, type FilteredColumn, type ListFilters } from './list-filters';
import { buildStatement, type Placeholder, type Statement } from '../tx';

interface ListFilter {
  readonly accountId?: string;
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
  readonly [member: string]: unknown;
}

/** Part of the order of an index: what it is compared with, and its name in the result of a branch. */
interface Comparison {
  readonly expression: string;
  readonly values: readonly string[];
  readonly name: string;
}

/** How many rows a branch returns at most: those of the default page, or of the longest, and one that tells of more. */
export const rowsFor = (limit: number): number => (limit <= 20 ? 21 : 101);

/**
 * The statement of one page, newest first, or oldest first for `endingBefore`. It reads about as many rows as it
 * returns, whichever rows match.
 *
 * Times are bounds of the id, which starts with the millisecond of `created_at`. An enum that the filter leaves open is
 * read value by value, and the branches are merged in the order of the id. Statistics cannot mislead the planner: a
 * comparison of rows with the columns of an index, in its order, leaves no other way to the first rows, and the first
 * value is a subquery, so that no plan depends on how often it occurs. The limit of the page is a parameter, so few
 * texts are prepared; the branches have a fixed limit, since a plan for an unknown one might sort all that match.
 * @param columns the quoted names of those to return
 * @param filter the values by the names of the filters, `accountId`, and inclusive `dateFrom` and `dateTo`; a key with an
 * array is read value by value, too
 * @param tables those that together have the rows of the list's
 */
export function listStatement(
  filters: ListFilters,
  columns: readonly string[],
  filter: object,
  page: CursorRequest,
  tables: readonly string[] = [filters.table],
): Statement {
  const compared = ['id', ...comparedColumns(filters)].map((column) => `"${column}"`);
  const read = [...new Set([...columns, ...compared])].join(', ');
  return buildStatement((placeholder) => {
    const { branches, byId } = listBranches(
      filters,
      read,
      filter,
      page,
      placeholder,
      () => rowsFor(page.limit),
      tables,
    );
    const union = branches.map((branch) => `(${branch})`).join(' UNION ALL ');
    return `SELECT ${columns.join(', ')} FROM (${union}) AS page ORDER BY ${byId} LIMIT ${placeholder(page.limit + 1)}`;
  });
}

/**
 * The statements that together return the first rows of a list, each in its order.
 * @param maxRowsOf how many rows each of so many statements may return
 * @param tables as in listStatement: each of the statements is repeated for all of them
 * @returns them, and their order by the id as the planner knows it: in that one they are merged and not sorted
 */
export function listBranches(
  filters: ListFilters,
  columns: string,
  filter: object,
  { startingAfter, endingBefore }: CursorRequest,
  placeholder: Placeholder,
  maxRowsOf: (branches: number) => number,
  tables: readonly string[] = [filters.table],
): { branches: string[]; byId: string } {
  const { accountId, dateFrom, dateTo, ...given } = filter as ListFilter;
  const { conditions: ofStates, members } = separateStates(filters, given);
  const order = endingBefore === undefined ? 'DESC' : 'ASC';
  const range = idRange(filters.prefix, dateFrom, dateTo);
  const before = placeholder(minimum(startingAfter, range.before));
  const after = placeholder(maximum(endingBefore, range.after));

  const conditions = [...commonConditions({ accountId, dateFrom, dateTo }, placeholder), ...ofStates];
  const comparisons = sqlComparisons(filters, members, placeholder, conditions);
  // As the index is sorted (see listIndices), read forwards or backwards.
  const nulls = accountId !== undefined ? '' : order === 'ASC' ? ' NULLS FIRST' : ' NULLS LAST';
  const expressions = [...comparisons.map(({ expression }) => expression), 'id'];
  const named = comparisons.filter(({ expression, name }) => expression !== name);
  const selected = [columns, ...named.map(({ expression, name }) => `${expression} AS ${name}`)].join(', ');
  // Until PostgreSQL 18, the scan of an index goes on until the first column of a row differs. So of enums alone, only the
  // last is compared with the id; the columns of a key are all in the row, which no other index can compare.
  const areEnums = comparisons.length > 0 && comparisons.length === Object.keys(filters.enums).length;
  const equal = areEnums ? comparisons.length - 1 : 0;
  const row = `(${expressions.slice(equal).join(', ')})`;
  const rowOf = ([first, ...others]: readonly string[], last: string): string =>
    `(${[`(SELECT ${first})`, ...others, last].join(', ')})`;
  // Between two values of one column the planner expects few rows, and would sort them: the id is a row of two columns.
  const rowsBetween = (values: readonly string[]): string =>
    values.length === 0
      ? `(id, id) < (${before}, ${before}) AND (id, id) > (${after}, ${after})`
      : [
          ...values.slice(0, equal).map((value, index) => `${expressions[index]!} = (SELECT ${value})`),
          `${row} < ${rowOf(values.slice(equal), before)}`,
          `${row} > ${rowOf(values.slice(equal), after)}`,
        ].join(' AND ');
  const combinations = product(comparisons.map(({ values }) => values));
  const maxRows = maxRowsOf(combinations.length);
  const branches = combinations.map((values) => {
    const where = [...conditions, rowsBetween(values)].join(' AND ');
    const sorted = [
      `${expressions[0]!} ${order}${nulls}`,
      ...expressions.slice(1).map((expression) => `${expression} ${order}`),
    ];
    const rest = `WHERE ${where} ORDER BY ${sorted.join(', ')} LIMIT ${maxRows}`;
    const rowsOf = (table: string): string => `SELECT ${selected} FROM ${table} ${rest}`;
    if (combinations.length === 1) return rowsOf;
    // True for all of these rows. It tells the planner that they are in the order of the list.
    const same = comparisons.map(({ name }, index) => `${name} = ${values[index]}`).join(' AND ') || true;
    return (table: string): string =>
      `SELECT ${columns} FROM (${rowsOf(table)}) AS branch WHERE ${same} ORDER BY id ${order} LIMIT ${maxRows}`;
  });
  return {
    branches: branches.flatMap((branch) => tables.map(branch)),
    byId: comparisons.length === 0 ? `id ${order}${nulls}` : `id ${order}`,
  };
}

/** The conditions of the states that a filter names, and its other members. */
function separateStates({ states = {} }: ListFilters, filter: Readonly<Record<string, unknown>>) {
  const entries = Object.entries(filter).filter(([, value]) => value !== undefined);
  return {
    conditions: entries.flatMap(([member, value]) => states[member]?.[String(value)] ?? []),
    members: Object.fromEntries(entries.filter(([member]) => !(member in states))),
  };
}

/** The columns of the indexes of a list, which {@link listBranches} compares. */
export function comparedColumns({ keys, enums }: ListFilters): string[] {
  return [...Object.values(keys), ...Object.values(enums)].map((filter) => filter.column);
}

/** What a filter compares, for rows that are read in another order than that of the list. */
export function residualConditions(filters: ListFilters, filter: object, placeholder: Placeholder): string[] {
  const { accountId, dateFrom, dateTo, ...members } = filter as ListFilter;
  const conditions = commonConditions({ accountId, dateFrom, dateTo }, placeholder);
  const columns: ListFilters['keys'] = { ...filters.keys, ...filters.enums, ...filters.selective };
  for (const [member, value] of Object.entries(members)) {
    if (value === undefined) continue;
    const { column, expression = (operand: string) => operand } = columns[member]!;
    conditions.push(`${expression(column)} = ${expression(placeholder(value))}`);
  }
  return conditions;
}

/**
 * A condition that the planner expects nearly all rows to fulfil, and that no index serves: the bounds of the id have
 * selected the rows of the time already. If it expected few, it would read and sort all of them.
 */
export const unestimated = (condition: string): string => `CASE WHEN ${condition} THEN true END IS NOT NULL`;

function commonConditions({ accountId, dateFrom, dateTo }: ListFilter, placeholder: Placeholder): string[] {
  return [
    ...(accountId === undefined ? [] : [`account_id = ${placeholder(accountId)}`]),
    ...(dateFrom === undefined ? [] : [unestimated(`created_at >= ${placeholder(dateFrom)}`)]),
    ...(dateTo === undefined ? [] : [unestimated(`created_at <= ${placeholder(dateTo)}`)]),
  ];
}

/**
 * What precedes the id in the index that serves the filter. Adds to the conditions what an index cannot compare, or what
 * allows its use.
 */
function sqlComparisons(
  { keys, enums, selective = {} }: ListFilters,
  filter: Readonly<Record<string, unknown>>,
  placeholder: Placeholder,
  conditions: string[],
): Comparison[] {
  const given = (member: string): boolean => filter[member] !== undefined;
  const members = Object.keys(filter).filter(given);
  if (members.length === 0) return [];
  const columns = { ...keys, ...enums, ...selective };
  const unknown = members.find((member) => !(member in columns));
  if (unknown !== undefined) throw new Error(`The list has no filter "${unknown}".`);
  const compare = (member: string, { column, expression }: FilteredColumn): Comparison => {
    const values = [filter[member]].flat().map(placeholder);
    if (expression === undefined) return { expression: column, values, name: column };
    return { expression: expression(column), values: values.map(expression), name: `compared_${column}` };
  };
  if (Object.keys(selective).some(given)) {
    for (const member of Object.keys(columns).filter(given)) {
      const { expression, values } = compare(member, columns[member]!);
      conditions.push(`${expression} IN (${values.join(', ')})`);
    }
    return [];
  }
  const comparedKeys = Object.keys(keys).filter(given);
  for (const member of comparedKeys)
    if (keys[member]!.nullable) conditions.push(`${keys[member]!.column} IS NOT NULL`);
  return [
    ...combined(comparedKeys.map((member) => compare(member, keys[member]!))),
    ...Object.entries(enums).map(([member, open]) =>
      given(member)
        ? compare(member, open)
        : { expression: open.column, values: open.values.map((value) => `'${value}'`), name: open.column },
    ),
  ];
}

/**
 * Several keys as one array, so that no index of fewer keys begins with what is compared: the planner would read the rows
 * of the first key, and sort.
 */
function combined(keys: readonly Comparison[]): readonly Comparison[] {
  if (keys.length < 2) return keys;
  const value = arrayOf(keys.flatMap(({ values }) => values));
  return [
    { expression: arrayOf(keys.map(({ expression }) => expression)), values: [value], name: 'compared' },
  ];
}

/** All combinations of one element of each list. */
function product(lists: readonly (readonly string[])[]): string[][] {
  return lists.reduce<string[][]>(
    (heads, list) => heads.flatMap((head) => list.map((element) => [...head, element])),
    [[]],
  );
}

function minimum(id: string | undefined, bound: string): string {
  return id === undefined || id > bound ? bound : id;
}

function maximum(id: string | undefined, bound: string): string {
  return id === undefined || id < bound ? bound : id;
}
