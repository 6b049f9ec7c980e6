import type { ObjectLiteral } from 'typeorm';
import { DAY_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import type { Page, PageRequest } from '../../../kernel/pages';
import type { Database } from '../database';
import type { Interval, PageFilter, RowCondition } from './page-rows';
import { createdBefore, PageRows, sqlTime } from './page-rows';
import type { Placeholder } from '../tx';
import type { Table } from '../table';

/** Where a page begins: after the first `skip` rows that were created before `until`; null if it has no rows. */
interface Start {
  readonly total: number;
  readonly until: string | null;
  readonly skip: number;
}

interface Position {
  readonly created_at: Date;
  readonly id: string;
}

/** How many rows a selection may have. */
export const MAX_SELECTED = 1_000;

/** Few rows, however many the list has. */
export interface Selection extends RowCondition {
  /** The expression by whose index the rows are found. */
  readonly index: string;
}

/** How many rows a part of a walk reads. */
const PART = 1_000;

/** How many rows are read: those of the default page, or of the longest (see listStatement). */
const rowsFor = (limit: number): number => (limit <= 25 ? 25 : 100);

/**
 * Lists by page number, newest first, with the number of all rows that match (decision 51).
 *
 * The counts by day tell how many there are, and on which day the page begins. Of the rows before it, only those of this
 * day are skipped, in an index. The statements of one read see slightly different moments.
 */
export class PageList<Entity extends ObjectLiteral> {
  private readonly rows: PageRows<Entity>;

  constructor(
    database: Database,
    private readonly table: Table<Entity>,
  ) {
    this.rows = new PageRows(database, table);
  }

  async read(filter: PageFilter, { page, limit }: PageRequest): Promise<Page<Entity>> {
    const { total, until, skip } = await this.findStart(filter, (page - 1) * limit);
    if (until === null) return { items: [], total };
    const first = skip === 0 ? null : await this.findPosition(filter, until, skip);
    const { columns } = this.table;
    const rows = await this.rows.run((placeholder) => {
      const bound = first === null ? createdBefore(until) : ({ operator: '<=', ...first } as const);
      const found = this.rows.from(filter, bound, placeholder);
      return `SELECT ${columns} FROM (SELECT ${columns} FROM ${found} LIMIT ${rowsFor(limit)}) AS page
              ORDER BY created_at DESC, id DESC LIMIT ${placeholder(limit)}`;
    });
    return { items: rows.map((row) => this.table.entity(row)), total };
  }

  /**
   * Reads all rows that match, newest first, a part at a time; each part begins after the last row of the one before. A
   * condition is checked on each row in the order of the list, so a statement reads no more than {@link PART} rows, and a
   * part may be empty.
   */
  async *walk(filter: PageFilter, condition?: RowCondition): AsyncIterable<Entity[]> {
    const { to } = filter;
    for (let bound = createdBefore(to === undefined ? 'infinity' : new Date(to.getTime() + 1)); ;) {
      const rows = await this.rows.run<Position & { readonly matches: boolean }>((placeholder) => {
        const matches = sqlCondition(condition, placeholder);
        const found = this.rows.from(filter, bound, placeholder);
        return `SELECT *, ${matches} AS matches FROM (SELECT ${this.table.columns} FROM ${found} LIMIT ${PART}) AS part
                ORDER BY created_at DESC, id DESC`;
      });
      yield rows.filter(({ matches }) => matches).map((row) => this.table.entity(row));
      const last = rows.at(-1);
      if (last === undefined || rows.length < PART) return;
      bound = { operator: '<', created_at: last.created_at, id: last.id };
    }
  }

  /**
   * Like `read`, of the rows of a selection, all of which are read.
   * @throws DomainError `invalid_request` for a selection of more than {@link MAX_SELECTED} rows, whatever else is filtered
   */
  async readSelected(
    { index, sql, value }: Selection,
    filter: PageFilter,
    page: PageRequest,
    condition?: RowCondition,
  ): Promise<Page<Entity>> {
    const source = (placeholder: Placeholder): string => {
      const selected = `SELECT * FROM ${this.table.name} WHERE ${sql(placeholder(value))}
        ORDER BY ${index} LIMIT ${MAX_SELECTED + 1}`;
      const { from, to } = filter;
      const interval = { from, until: to && new Date(to.getTime() + 1) };
      const matches = `${this.rows.conditions(filter, interval, placeholder)} AND ${sqlCondition(condition, placeholder)}`;
      return `SELECT id, created_at, ${matches} AS matches FROM (${selected}) AS selected`;
    };
    const found = await this.rows.readMatching(source, MAX_SELECTED, page);
    if (found !== null) return found;
    throw new DomainError('invalid_request', `More than ${MAX_SELECTED} begin so. Send more of the text.`);
  }

  private async findStart(filter: PageFilter, offset: number): Promise<Start> {
    const { days, rest } = divide(filter);
    const { counts } = filter;
    const [start] = await this.rows.run<Start>((placeholder) => {
      const skipped = `${placeholder(offset)}::bigint`;
      const parts = rest.map(
        (interval) => `SELECT ${sqlTime(interval.until, 'infinity', placeholder)} AS until, count(*) AS count
                       FROM ${this.table.name} WHERE ${this.rows.conditions(filter, interval, placeholder)}`,
      );
      if (days !== null)
        parts.push(`SELECT (day + 1)::timestamp AT TIME ZONE 'UTC' AS until, sum(count) AS count
                    FROM ${counts} WHERE ${this.daysOf(filter, days, placeholder)} GROUP BY day`);
      return `SELECT coalesce(max(through), 0)::float8 AS total, max(until) FILTER (WHERE through > ${skipped})::text AS until,
                (${skipped} - coalesce(max(through) FILTER (WHERE through <= ${skipped}), 0))::float8 AS skip
              FROM (SELECT until, sum(count) OVER (ORDER BY until DESC) AS through
                    FROM (${parts.join(' UNION ALL ')}) AS part) AS running`;
    });
    return start!;
  }

  /** The first row after the skipped ones; null when rows have been deleted meanwhile. */
  private async findPosition(filter: PageFilter, until: string, skip: number): Promise<Position | null> {
    const [position = null] = await this.rows.run<Position>(
      (placeholder) =>
        `SELECT created_at, id FROM ${this.rows.from(filter, createdBefore(until), placeholder)} OFFSET ${placeholder(skip)} LIMIT 1`,
    );
    return position;
  }

  private daysOf(filter: PageFilter, { from, until }: Interval, placeholder: Placeholder): string {
    const day = (time: string): string => `(${time} AT TIME ZONE 'UTC')::date`;
    return [
      ...this.rows.given(filter).map(([column, value]) => `${column} = ${placeholder(value)}`),
      `day >= ${day(sqlTime(from, '-infinity', placeholder))}`,
      `day < ${day(sqlTime(until, 'infinity', placeholder))}`,
    ].join(' AND ');
  }
}

/** @returns what is true of all rows without a condition */
function sqlCondition(condition: RowCondition | undefined, placeholder: Placeholder): string {
  return condition === undefined ? 'true' : condition.sql(placeholder(condition.value));
}

/** Divides the time of a list into whole days, which are counted, and the rest: parts of the first and the last day. */
function divide({ from, to }: PageFilter): { days: Interval | null; rest: Interval[] } {
  const until = to && new Date(to.getTime() + 1);
  const firstDay = from && new Date(Math.ceil(from.getTime() / DAY_MS) * DAY_MS);
  const lastDay = until && new Date(Math.floor(until.getTime() / DAY_MS) * DAY_MS);
  if (firstDay && lastDay && firstDay >= lastDay) return { days: null, rest: [{ from, until }] };
  const rest: Interval[] = [
    { from, until: firstDay },
    { from: lastDay, until },
  ];
  return {
    days: { from: firstDay, until: lastDay },
    rest: rest.filter((part) => part.from && part.until && part.from < part.until),
  };
}
