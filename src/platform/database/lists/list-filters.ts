import type { IdPrefix } from '../../../kernel/ids';
import type { DefinedIndex } from '../migrations/defined-indexes';
import { keyWordIndex } from './folded-text';

/** A column that a list is filtered by. */
export interface FilteredColumn {
  readonly column: string;
  /** Stands for the column in the names of indexes, which have at most 63 characters. */
  readonly shortName?: string;
  /** The SQL expression that is compared and indexed instead of the column, and of the value. */
  readonly expression?: (operand: string) => string;
}

/**
 * What a list can be filtered by besides the account and the time. Its indexes follow from it (see listIndices).
 * The names of the filters are properties of the entity.
 */
export interface ListFilters {
  readonly prefix: IdPrefix;
  readonly table: string;
  /** With any number of values. Every combination of them has its own indexes. */
  readonly keys: Readonly<Record<string, FilteredColumn & { readonly nullable?: boolean }>>;
  /** With few values, which are part of the statements. */
  readonly enums: Readonly<Record<string, { readonly column: string; readonly values: readonly string[] }>>;
  /** The condition of each value, which is that of a partial index on the id. */
  readonly states?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** Whose values select so few rows that these can be filtered further and sorted. Their indexes are their own. */
  readonly selective?: Readonly<Record<string, FilteredColumn>>;
  /** A nullable column whose parts a search finds by its key word (see folded-text.ts). */
  readonly searched?: string;
  /** Whether `amountMin` and `amountMax` filter it (see amount-range.ts). */
  readonly amounts?: true;
}

/** Several columns as one value: an index begins with it that no search for fewer columns can use. */
export const arrayOf = (operands: readonly string[]): string => `ARRAY[${operands.join(', ')}]`;

/**
 * The indexes of a list: for each combination of its keys one that starts with them (several are one array), continues
 * with all enums and ends with the id, and the same led by the account. The primary key serves the list of an account
 * without filters.
 *
 * In those of all accounts the first column is sorted NULLS FIRST, although it is never null: for the planner their order
 * is another one, so that it does not search them for the rows of one account.
 */
export function listIndices(filters: ListFilters): DefinedIndex[] {
  const { table, keys, enums, amounts, searched } = filters;
  const pair = (suffix: string, order: readonly string[], where = ''): DefinedIndex[] => [
    defined(`${table}_account${suffix}`, `(${['account_id', ...order].join(', ')})${where}`),
    defined(`${table}${suffix}`, `(${nullsFirst(order).join(', ')})${where}`),
  ];
  const combinations = Object.values(keys).reduce<ListFilters['keys'][string][][]>(
    (shorter, key) => [...shorter, ...shorter.map((columns) => [...columns, key])],
    [[]],
  );
  const enumColumns = Object.values(enums).map(({ column }) => column);
  const filtered = combinations.flatMap((columns) => {
    const names = [...columns.map(({ column, shortName }) => shortName ?? column), ...enumColumns];
    if (names.length === 0) return []; // served by the index of the ids, and by the primary key
    const nullable = columns.filter((column) => column.nullable).map(({ column }) => `${column} IS NOT NULL`);
    const where = nullable.length === 0 ? '' : ` WHERE ${nullable.join(' AND ')}`;
    return pair(`_${names.join('_')}`, [...compared(columns), ...enumColumns, 'id'], where);
  });
  const newest = defined(`${table}_newest`, `(${nullsFirst(['id']).join()})`);
  const byPart = searched === undefined ? null : keyWordIndex(table, searched);
  return [
    newest,
    ...filtered,
    ...(amounts ? pair('_amount', ['amount', 'id']) : []),
    ...(byPart ? [defined(byPart.name, byPart.definition)] : []),
  ];
}

function compared(columns: readonly FilteredColumn[]): string[] {
  if (columns.length < 2)
    return columns.map(({ column, expression }) => (expression ? `(${expression(column)})` : column));
  return [`(${arrayOf(columns.map(({ column, expression }) => expression?.(column) ?? column))})`];
}

const nullsFirst = ([first, ...others]: readonly string[]): string[] => [`${first} NULLS FIRST`, ...others];

/** TypeORM can declare neither expressions nor the order of nulls, so it leaves the index alone. */
const defined = (name: string, definition: string): DefinedIndex => ({
  name,
  columns: ['id'],
  synchronize: false,
  definition,
});
