import type { ObjectLiteral } from 'typeorm';
import type { Page, PageRequest } from '../../../kernel/pages';
import type { Database } from '../database';
import { buildStatement, type Placeholder } from '../tx';
import type { Table } from '../table';

/** Which rows of a page list match. */
export interface PageFilter {
  /** Values by property; undefined compares nothing. An index has the columns of those given, `created_at` and `id`. */
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Inclusive bounds of the creation time. */
  readonly from?: Date;
  readonly to?: Date;
  /** A view with `day`, the columns of `equal`, and `count`. */
  readonly counts: string;
}

/** A condition on a value, as SQL. */
export interface RowCondition {
  readonly sql: (placeholder: string) => string;
  readonly value: unknown;
}

/** Creation times: `from` is part of the interval, `until` is not. */
export interface Interval {
  readonly from?: Date;
  readonly until?: Date;
}

/** Rows before a position are newer. Those of a time alone come before all that were created then. */
export interface Bound {
  readonly operator: '<' | '<=';
  /** A time may be `infinity`. */
  readonly created_at: Date | string;
  readonly id: string;
}

/** Rows as SQL: `id`, `created_at`, and whether they match. */
export type RowSource = (placeholder: Placeholder) => string;

/** The rows of a page list. */
export class PageRows<Entity extends ObjectLiteral> {
  constructor(
    private readonly database: Database,
    readonly table: Table<Entity>,
  ) {}

  run<Row extends object>(sqlWith: (placeholder: Placeholder) => string): Promise<Row[]> {
    const { sql, params } = buildStatement(sqlWith);
    return this.database.query<Row>(sql, params);
  }

  /**
   * Reads all rows of a source, and returns a page of those that match.
   * @returns null if the source has more than `max` rows, of which it needs to return only one
   */
  async readMatching(
    source: RowSource,
    max: number,
    { page, limit }: PageRequest,
  ): Promise<Page<Entity> | null> {
    const first = Math.min((page - 1) * limit, max);
    const [found] = await this.run<{ read: number; total: number; ids: string[] }>(
      (placeholder) =>
        `SELECT count(*)::integer AS read, (count(*) FILTER (WHERE matches))::integer AS total,
           coalesce((array_agg(id ORDER BY created_at DESC, id DESC) FILTER (WHERE matches))
             [${placeholder(first + 1)}::integer:${placeholder(first + limit)}::integer], '{}') AS ids
         FROM (${source(placeholder)}) AS found`,
    );
    const { read, total, ids } = found!;
    if (read > max) return null;
    const { columns, name } = this.table;
    const sql = `SELECT ${columns} FROM ${name} WHERE id = ANY ($1) ORDER BY created_at DESC, id DESC`;
    const rows = await this.database.query(sql, [ids]);
    return { items: rows.map((row) => this.table.entity(row)), total };
  }

  /**
   * The rows from a bound on, in their order. A comparison of rows with the columns of an index leaves no other way to the
   * first of them (see listStatement).
   */
  from(filter: PageFilter, bound: Bound, placeholder: Placeholder): string {
    const given = this.given(filter);
    const columns = [...given.map(([column]) => column), 'created_at', 'id'];
    const values = given.map(([, value]) => placeholder(value));
    if (values.length > 0) values[0] = `(SELECT ${values[0]})`;
    const row = (time: string, id: string): string => `(${[...values, time, id].join(', ')})`;
    const { operator, created_at, id } = bound;
    const upper = `${operator} ${row(`${placeholder(created_at)}::timestamptz`, placeholder(id))}`;
    const lower = `>= ${row(sqlTime(filter.from, '-infinity', placeholder), `''`)}`;
    return `${this.table.name} WHERE (${columns.join(', ')}) ${upper} AND (${columns.join(', ')}) ${lower}
            ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')}`;
  }

  conditions(filter: PageFilter, { from, until }: Interval, placeholder: Placeholder): string {
    return [
      ...this.given(filter).map(([column, value]) => `${column} = ${placeholder(value)}`),
      `created_at >= ${sqlTime(from, '-infinity', placeholder)}`,
      `created_at < ${sqlTime(until, 'infinity', placeholder)}`,
    ].join(' AND ');
  }

  given({ equal }: PageFilter): [column: string, value: string][] {
    return Object.entries(equal).flatMap(([property, value]): [string, string][] =>
      value === undefined ? [] : [[this.table.columnOf(property), value]],
    );
  }
}

/** The bound of the rows that were created before a time. */
export const createdBefore = (time: Date | string): Bound => ({ operator: '<', created_at: time, id: '' });

export function sqlTime(time: Date | undefined, otherwise: string, placeholder: Placeholder): string {
  return time === undefined ? `'${otherwise}'::timestamptz` : `${placeholder(time)}::timestamptz`;
}
