import type { ObjectLiteral } from 'typeorm';
import { DomainError } from '../../../kernel/domain-error';
import type { PageRequest } from '../../../kernel/pages';
import type { Database } from '../database';
import type { FoundPage } from './page-list';
import { createdBefore, type PageFilter, PageRows, type RowCondition } from './page-rows';
import { buildStatement, type Placeholder } from '../tx';
import { containing, type Table } from '../table';

/** How many rows a search reads, and so how many may match. */
export const MAX_SEARCHED = 10_000;

interface Search {
  readonly filter: PageFilter;
  readonly text: string;
}

interface FoundRows extends FoundPage {
  readonly read: number;
}

/**
 * Finds the rows of a page list that contain a text, by an index of trigrams or one by one, and reads no more than
 * {@link MAX_SEARCHED} of them (decision 51).
 */
export class TextSearch<Entity extends ObjectLiteral> {
  private readonly rows: PageRows<Entity>;

  /** @param index an index of the trigrams of the columns, which may be missing */
  constructor(
    private readonly database: Database,
    private readonly table: Table<Entity>,
    private readonly columns: readonly string[],
    private readonly index: string,
  ) {
    this.rows = new PageRows(table);
  }

  /** The condition of the rows that contain the text, for a list that is read in its order. */
  condition(text: string): RowCondition {
    const sql = (part: string): string =>
      `(${this.columns.map((column) => `${column} ILIKE ${part}`).join(' OR ')})`;
    return { sql, value: containing(text) };
  }

  /**
   * Returns the ids of a page of the rows that contain the text, and how many there are.
   * @param prefersScan whether a list that is short enough is read rather than the index
   * @throws DomainError `invalid_request` if more than {@link MAX_SEARCHED} rows match or would be read
   */
  async find(text: string, filter: PageFilter, page: PageRequest, prefersScan: boolean): Promise<FoundPage> {
    const search = { text, filter };
    const { total, isIndexed } = await this.measure(search);
    const isShort = total <= MAX_SEARCHED;
    const sources: Source[] = [];
    if (isIndexed && !(isShort && prefersScan)) sources.push(this.byIndex);
    if (isShort) sources.push(this.inOrder);
    for (const source of sources) {
      const { read, ...found } = await this.findAmong(source, search, page);
      if (read <= MAX_SEARCHED) return found;
    }
    throw new DomainError(
      'invalid_request',
      `More than ${MAX_SEARCHED} match, or would have to be read. Send more of the text, at least three letters or digits in a row, or a further filter.`,
    );
  }

  /** Returns how many rows the list has, and whether the index finds the text: it has no trigrams of a shorter one. */
  private async measure({ text, filter }: Search): Promise<{ total: number; isIndexed: boolean }> {
    const [measured] = await this.run<{ total: number; isIndexed: boolean }>((placeholder) => {
      const given = this.rows.given(filter).map(([column, value]) => `${column} = ${placeholder(value)}`);
      return `SELECT coalesce(sum(count), 0)::float8 AS total, ${placeholder(text)}::text ~ '.[[:alnum:]].' AND EXISTS (
                SELECT FROM pg_index WHERE indexrelid = to_regclass('${this.index}') AND indisvalid) AS "isIndexed"
              FROM ${filter.counts} WHERE ${['true', ...given].join(' AND ')}`;
    });
    return measured!;
  }

  private async findAmong(source: Source, search: Search, { page, limit }: PageRequest): Promise<FoundRows> {
    const first = Math.min((page - 1) * limit, MAX_SEARCHED);
    const [found] = await this.run<FoundRows>(
      (placeholder) =>
        `SELECT count(*)::integer AS read, (count(*) FILTER (WHERE matches))::integer AS total,
           coalesce((array_agg(id ORDER BY created_at DESC, id DESC) FILTER (WHERE matches))
             [${placeholder(first + 1)}::integer:${placeholder(first + limit)}::integer], '{}') AS ids
         FROM (${source(search, placeholder)}) AS found`,
    );
    return found!;
  }

  /**
   * The rows that the index finds, whatever else is filtered. The planner sees neither the text nor the limit: for a
   * frequent text, or for the first rows, it would read the whole table.
   */
  private readonly byIndex: Source = ({ text, filter }, placeholder) => {
    const { sql, value } = this.condition(text);
    return `WITH indexed AS MATERIALIZED (SELECT * FROM ${this.table.name} WHERE ${sql(`(SELECT ${placeholder(value)}::text)`)})
            SELECT id, created_at, ${this.rows.conditions(filter, {}, placeholder)} AS matches
            FROM indexed LIMIT ${MAX_SEARCHED + 1}`;
  };

  /** All rows of the list. The planner does not see how many are read: it would sort the whole table for so many. */
  private readonly inOrder: Source = ({ text, filter }, placeholder) => {
    const { sql, value } = this.condition(text);
    return `SELECT id, created_at, ${sql(placeholder(value))} AS matches
            FROM (SELECT * FROM ${this.rows.from(filter, createdBefore('infinity'), placeholder)}
                  LIMIT (SELECT ${MAX_SEARCHED + 1})) AS listed`;
  };

  private run<Row extends object>(sqlWith: Parameters<typeof buildStatement>[0]): Promise<Row[]> {
    const { sql, params } = buildStatement(sqlWith);
    return this.database.query<Row>(sql, params);
  }
}

/** Rows as SQL: `id`, `created_at`, and whether they match. One row too many says that there are more. */
type Source = (search: Search, placeholder: Placeholder) => string;
