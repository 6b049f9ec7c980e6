import type { EntitySchemaIndexOptions } from 'typeorm';
import type { IdPrefix } from '../../../kernel/ids';
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

/**
 * The indexes of a list: for each combination of its keys one that starts with them (several are one array), continues
 * with all enums and ends with the id, and the same led by the account. The primary key serves the list of an account
 * without filters.
 *
 * In those of all accounts the first column is sorted NULLS FIRST, although it is never null: for the planner their order
 * is another one, so that it does not search them for the rows of one account.
 */
export function listIndices(filters: ListFilters): EntitySchemaIndexOptions[] {
  const { table, keys, enums, amounts, searched } = filters;
  const combinations = Object.keys(keys).reduce<string[][]>(
    (shorter, key) => [...shorter, ...shorter.map((members) => [...members, key])],
    [[]],
  );
  const filtered = combinations.flatMap((members) => {
    const columns = members.map((member) => keys[member]!);
    const nullable = columns.filter((column) => column.nullable).map(({ column }) => `${column} IS NOT NULL`);
    const names = [
      ...columns.map(({ column, shortName }) => shortName ?? column),
      ...Object.values(enums).map((filter) => filter.column),
    ];
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
  const byPart =
    searched === undefined
      ? []
      : [{ name: keyWordIndex(table, searched).name, columns: [searched], synchronize: false as const }];
  const newest = { name: `${table}_newest`, columns: ['id'] };
  return [newest, ...filtered, ...(amounts ? byAmount : []), ...byPart];
}
