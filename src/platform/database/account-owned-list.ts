import { EntitySchemaIndexOptions } from 'typeorm';
import { IdPrefix, idRange } from '../../kernel/ids';
import { CursorRequest } from '../../kernel/pages';
import { Statement } from './tx';

/** A column that a list is filtered by. */
interface FilteredColumn {
  readonly column: string;
  /** The SQL expression that is compared and indexed instead of the column, and of the value. */
  readonly expression?: (operand: string) => string;
}

/**
 * What a list can be filtered by besides the account and the time. Its indexes follow from it (see listIndices).
 *
 * @template Member the names of the filters, which are properties of the entity
 */
export interface ListFilters<Member extends string = string> {
  readonly prefix: IdPrefix;
  readonly table: string;
  /** With any number of values. Every combination of them has its own indexes. */
  readonly keys: Readonly<Partial<Record<Member, FilteredColumn & { readonly nullable?: boolean }>>>;
  /** With few values, which are part of the statements. */
  readonly enums: Readonly<
    Partial<Record<Member, { readonly column: string; readonly values: readonly string[] }>>
  >;
  /** Whose values select so few rows that these can be filtered further and sorted. Their indexes are their own. */
  readonly selective?: Readonly<Record<string, FilteredColumn>>;
  /** Whether `amountMin` and `amountMax` filter it (see amount-range.ts). */
  readonly amounts?: true;
}

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
const rowsFor = (limit: number): number => (limit <= 20 ? 21 : 101);

/**
 * The indexes of a list: for each combination of its keys one that starts with them (several are one array), continues
 * with all enums and ends with the id, and the same led by the account. The primary key serves the list of an account
 * without filters.
 *
 * In those of all accounts the first column is sorted NULLS FIRST, although it is never null: for the planner their order
 * is another one, so that it does not search them for the rows of one account.
 */
export function listIndices({ table, keys, enums, amounts }: ListFilters): EntitySchemaIndexOptions[] {
  const combinations = Object.keys(keys).reduce<string[][]>(
    (shorter, key) => [...shorter, ...shorter.map((members) => [...members, key])],
    [[]],
  );
  const filtered = combinations.flatMap((members) => {
    const columns = members.map((member) => keys[member]!);
    const nullable = columns.filter((column) => column.nullable).map(({ column }) => `${column} IS NOT NULL`);
    const names = [...columns, ...Object.values(enums)].map((filter) => filter!.column);
    if (names.length === 0) return []; // served by the index of the ids, and by the primary key
    return [['account'], []].map((account) => ({
      name: [table, ...account, ...names].join('_'),
      columns: [...account.map((name) => `${name}Id`), ...members, ...Object.keys(enums), 'id'],
      ...(nullable.length > 0 && { where: nullable.join(' AND ') }),
      // TypeORM cannot declare expressions.
      ...((members.length > 1 || columns.some(({ expression }) => expression)) && { synchronize: false }),
    }));
  });
  const byAmount = [
    { name: `${table}_account_amount`, columns: ['accountId', 'amount', 'id'] },
    { name: `${table}_amount`, columns: ['amount', 'id'] },
  ];
  return [{ name: `${table}_newest`, columns: ['id'] }, ...filtered, ...(amounts ? byAmount : [])];
}

/**
 * The statement of one page, newest first, or oldest first for `endingBefore`. It reads about as many rows as it
 * returns, whichever rows match.
 *
 * Times are bounds of the id, which starts with the millisecond of `created_at`. An enum that the filter leaves open is
 * read value by value, and the branches are merged in the order of the id. Statistics cannot mislead the planner: a
 * comparison of rows with the columns of an index, in its order, leaves no other way to the first rows, and the first
 * value is a subquery, so that no plan depends on how often it occurs. The limit of the page is a parameter, so few
 * texts are prepared; the branches have a fixed limit, since a plan for an unknown one might sort all that match.
 * @param columns the list for `SELECT`
 * @param filter the values by the names of the filters, `accountId`, and inclusive `dateFrom` and `dateTo`
 */
export function listStatement(
  filters: ListFilters,
  columns: string,
  filter: object,
  page: CursorRequest,
): Statement {
  const params: unknown[] = [];
  const placeholder = (value: unknown): string => `$${params.push(value)}`;
  const order = page.endingBefore === undefined ? 'DESC' : 'ASC';
  const branches = listBranches(filters, columns, filter, page, placeholder, () => rowsFor(page.limit));
  const union = branches.map((branch) => `(${branch})`).join(' UNION ALL ');
  const sql = `SELECT ${columns} FROM (${union}) AS page ORDER BY id ${order} LIMIT ${placeholder(page.limit + 1)}`;
  return { sql, params };
}

/**
 * The statements that together return the first rows of a list, each in the order of the id.
 * @param maxRowsOf how many rows each of so many statements may return
 */
export function listBranches(
  filters: ListFilters,
  columns: string,
  filter: object,
  { startingAfter, endingBefore }: CursorRequest,
  placeholder: (value: unknown) => string,
  maxRowsOf: (branches: number) => number,
): string[] {
  const { accountId, dateFrom, dateTo, ...members } = filter as ListFilter;
  const order = endingBefore === undefined ? 'DESC' : 'ASC';
  // As the index is sorted (see listIndices), read forwards or backwards.
  const nulls = accountId !== undefined ? '' : order === 'ASC' ? ' NULLS FIRST' : ' NULLS LAST';
  const range = idRange(filters.prefix, dateFrom, dateTo);
  const before = placeholder(minimum(startingAfter, range.before));
  const after = placeholder(maximum(endingBefore, range.after));

  const conditions = commonConditions({ accountId, dateFrom, dateTo }, placeholder);
  const comparisons = comparisonsOf(filters, members, placeholder, conditions);
  const expressions = [...comparisons.map(({ expression }) => expression), 'id'];
  const named = comparisons.filter(({ expression, name }) => expression !== name);
  const selected = [columns, ...named.map(({ expression, name }) => `${expression} AS ${name}`)].join(', ');
  const rowOf = ([first, ...others]: readonly string[], id: string): string =>
    `(${[...(first === undefined ? [] : [`(SELECT ${first})`]), ...others, id].join(', ')})`;
  const branch = (values: readonly string[]): string => {
    const where = [
      ...conditions,
      `(${expressions.join(', ')}) < ${rowOf(values, before)}`,
      `(${expressions.join(', ')}) > ${rowOf(values, after)}`,
    ].join(' AND ');
    const rows = `SELECT ${selected} FROM ${filters.table} WHERE ${where}
      ORDER BY ${[`${expressions[0]!} ${order}${nulls}`, ...expressions.slice(1).map((expression) => `${expression} ${order}`)].join(', ')} LIMIT ${maxRows}`;
    // True for all of these rows. It tells the planner that they are in the order of the id.
    const same = comparisons.map(({ name }, index) => `${name} = ${values[index]}`);
    return `SELECT ${columns} FROM (${rows}) AS branch WHERE ${same.join(' AND ') || true} ORDER BY id ${order} LIMIT ${maxRows}`;
  };
  const combinations = product(comparisons.map(({ values }) => values));
  const maxRows = maxRowsOf(combinations.length);
  return combinations.map(branch);
}

/** What a filter compares, for rows that are read in another order than that of the list. */
export function residualConditions(
  filters: ListFilters,
  filter: object,
  placeholder: (value: unknown) => string,
): string[] {
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

function commonConditions(
  { accountId, dateFrom, dateTo }: ListFilter,
  placeholder: (value: unknown) => string,
): string[] {
  return [
    ...(accountId === undefined ? [] : [`account_id = ${placeholder(accountId)}`]),
    ...(dateFrom === undefined ? [] : [`created_at >= ${placeholder(dateFrom)}`]),
    ...(dateTo === undefined ? [] : [`created_at <= ${placeholder(dateTo)}`]),
  ];
}

/**
 * What precedes the id in the index that serves the filter. Adds to the conditions what an index cannot compare, or what
 * allows its use.
 */
function comparisonsOf(
  { keys, enums, selective = {} }: ListFilters,
  filter: Readonly<Record<string, unknown>>,
  placeholder: (value: unknown) => string,
  conditions: string[],
): Comparison[] {
  const columns = { ...keys, ...enums, ...selective };
  const given = (member: string): boolean => filter[member] !== undefined;
  const unknown = Object.keys(filter).find((member) => given(member) && !(member in columns));
  if (unknown !== undefined) throw new Error(`The list has no filter "${unknown}".`);
  const compare = (member: string, { column, expression }: FilteredColumn): Comparison => {
    const value = placeholder(filter[member]);
    if (expression === undefined) return { expression: column, values: [value], name: column };
    return { expression: expression(column), values: [expression(value)], name: `compared_${column}` };
  };
  if (Object.keys(selective).some(given)) {
    for (const member of Object.keys(columns).filter(given)) {
      const { expression, values } = compare(member, columns[member]!);
      conditions.push(`${expression} = ${values[0]!}`);
    }
    return [];
  }
  if (!Object.keys(columns).some(given)) return [];
  const comparedKeys = Object.keys(keys).filter(given);
  for (const member of comparedKeys)
    if (keys[member]!.nullable) conditions.push(`${keys[member]!.column} IS NOT NULL`);
  return [
    ...combined(comparedKeys.map((member) => compare(member, keys[member]!))),
    ...Object.entries(enums).map(([member, open]) =>
      given(member)
        ? compare(member, open!)
        : { expression: open!.column, values: open!.values.map((value) => `'${value}'`), name: open!.column },
    ),
  ];
}

/**
 * Several keys as one array, so that no index of fewer keys begins with what is compared: the planner would read the rows
 * of the first key, and sort.
 */
function combined(keys: readonly Comparison[]): readonly Comparison[] {
  if (keys.length < 2) return keys;
  const arrayOf = (operands: readonly string[]): string => `ARRAY[${operands.join(', ')}]`;
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
