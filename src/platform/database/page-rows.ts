import { ObjectLiteral } from 'typeorm';
import { Placeholder } from './statement';
import { Table } from './table';

/** Which rows of a page list match. */
export interface PageFilter {
  /** Values by property; undefined compares nothing. An index has the columns of those given, `created_at` and `id`. */
  readonly equal: Readonly<Record<string, string | undefined>>;
  /** Inclusive bounds of the creation time. */
  readonly from?: Date;
  readonly to?: Date;
  /** A further condition on a value, as SQL. */
  readonly condition?: {
    readonly sql: (placeholder: string) => string;
    readonly value: unknown;
    /** Whether an index of its own finds the rows, which are then all read, and sorted. */
    readonly isIndexed: boolean;
  };
  /** A view with `day`, the columns of `equal`, and `count`; null where all that match are counted at each read. */
  readonly counts: string | null;
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

/** The rows of a page list as SQL. */
export class PageRows<Entity extends ObjectLiteral> {
  constructor(private readonly table: Table<Entity>) {}

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
    const lower = `>= ${row(timeOf(filter.from, '-infinity', placeholder), `''`)}`;
    const condition = conditionOf(filter, placeholder).map((sql) => ` AND ${sql}`);
    return `${this.source(filter, placeholder)} WHERE (${columns.join(', ')}) ${upper} AND (${columns.join(', ')}) ${lower}${condition.join('')}
            ORDER BY ${columns.map((column) => `${column} DESC`).join(', ')}`;
  }

  /**
   * The rows to select from. OFFSET separates those that an index of their own finds from the rest of the statement: the
   * planner would search for them in the order of the list, however few there are.
   */
  source({ condition }: PageFilter, placeholder: Placeholder): string {
    const { name } = this.table;
    if (!condition?.isIndexed) return name;
    return `(SELECT * FROM ${name} WHERE ${condition.sql(placeholder(condition.value))} OFFSET 0) AS ${name}`;
  }

  conditions(filter: PageFilter, { from, until }: Interval, placeholder: Placeholder): string {
    return [
      ...this.given(filter).map(([column, value]) => `${column} = ${placeholder(value)}`),
      `created_at >= ${timeOf(from, '-infinity', placeholder)}`,
      `created_at < ${timeOf(until, 'infinity', placeholder)}`,
      ...conditionOf(filter, placeholder),
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

export function timeOf(time: Date | undefined, otherwise: string, placeholder: Placeholder): string {
  return time === undefined ? `'${otherwise}'::timestamptz` : `${placeholder(time)}::timestamptz`;
}

/** The condition of rows that no index of their own finds (see `source`). */
function conditionOf({ condition }: PageFilter, placeholder: Placeholder): string[] {
  return !condition || condition.isIndexed ? [] : [condition.sql(placeholder(condition.value))];
}
