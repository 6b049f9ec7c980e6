import type { ObjectLiteral } from 'typeorm';
import { DomainError } from '../../../kernel/domain-error';
import type { Page, PageRequest } from '../../../kernel/pages';
import type { Database } from '../database';
import { createdBefore, type PageFilter, PageRows, type RowCondition, type RowSource } from './page-rows';
import { containing, type Table } from '../table';

/** How many rows a search reads, and so how many may match. */
export const MAX_SEARCHED = 10_000;

/**
 * Finds the rows of a page list that contain a text, by an index of trigrams or one by one, and reads no more than
 * {@link MAX_SEARCHED} of them (decision 51).
 */
export class TextSearch<Entity extends ObjectLiteral> {
  private readonly rows: PageRows<Entity>;

  /** @param index an index of the trigrams of the columns, which may be missing */
  constructor(
    database: Database,
    table: Table<Entity>,
    private readonly columns: readonly string[],
    private readonly index: string,
  ) {
    this.rows = new PageRows(database, table);
  }

  /** The condition of the rows that contain the text, for a list that is read in its order. */
  condition(text: string): RowCondition {
    const sql = (part: string): string =>
      `(${this.columns.map((column) => `${column} ILIKE ${part}`).join(' OR ')})`;
    return { sql, value: containing(text) };
  }

  /**
   * Returns a page of the rows that contain the text.
   * @param prefersScan whether a list that is short enough is read rather than the index
   * @throws DomainError `invalid_request` if more than {@link MAX_SEARCHED} rows match or would be read
   */
  async find(
    text: string,
    filter: PageFilter,
    page: PageRequest,
    prefersScan: boolean,
  ): Promise<Page<Entity>> {
    const { total, isIndexed } = await this.measure(text, filter);
    const isShort = total <= MAX_SEARCHED;
    const sources: RowSource[] = [];
    if (isIndexed && !(isShort && prefersScan)) sources.push(this.byIndex(text, filter));
    if (isShort) sources.push(this.inOrder(text, filter));
    for (const source of sources) {
      const found = await this.rows.readMatching(source, MAX_SEARCHED, page);
      if (found !== null) return found;
    }
    throw new DomainError(
      'invalid_request',
      `More than ${MAX_SEARCHED} match, or would have to be read. Send more of the text, at least three letters or digits in a row, or a further filter.`,
    );
  }

  /** Returns how many rows the list has, and whether the index finds the text: it has no trigrams of a shorter one. */
  private async measure(text: string, filter: PageFilter): Promise<{ total: number; isIndexed: boolean }> {
    const [measured] = await this.rows.run<{ total: number; isIndexed: boolean }>((placeholder) => {
      const given = this.rows.given(filter).map(([column, value]) => `${column} = ${placeholder(value)}`);
      return `SELECT coalesce(sum(count), 0)::float8 AS total, ${placeholder(text)}::text ~ '.[[:alnum:]].' AND EXISTS (
                SELECT FROM pg_index WHERE indexrelid = to_regclass('${this.index}') AND indisvalid) AS "isIndexed"
              FROM ${filter.counts} WHERE ${['true', ...given].join(' AND ')}`;
    });
    return measured!;
  }

  /**
   * The rows that the index finds, whatever else is filtered. The planner sees neither the text nor the limit: for a
   * frequent text, or for the first rows, it would read the whole table.
   */
  private byIndex(text: string, filter: PageFilter): RowSource {
    const { sql, value } = this.condition(text);
    return (placeholder) =>
      `WITH indexed AS MATERIALIZED (SELECT * FROM ${this.rows.table.name} WHERE ${sql(`(SELECT ${placeholder(value)}::text)`)})
       SELECT id, created_at, ${this.rows.conditions(filter, {}, placeholder)} AS matches
       FROM indexed LIMIT ${MAX_SEARCHED + 1}`;
  }

  /** All rows of the list. The planner does not see how many are read: it would sort the whole table for so many. */
  private inOrder(text: string, filter: PageFilter): RowSource {
    const { sql, value } = this.condition(text);
    return (placeholder) =>
      `SELECT id, created_at, ${sql(placeholder(value))} AS matches
       FROM (SELECT * FROM ${this.rows.from(filter, createdBefore('infinity'), placeholder)}
             LIMIT (SELECT ${MAX_SEARCHED + 1})) AS listed`;
  }
}
