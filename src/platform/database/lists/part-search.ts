import type { ObjectLiteral } from 'typeorm';
import type { Database } from '../database';
import { containing, type Table } from '../table';
import { buildStatement, type Placeholder } from '../tx';
import { folded, keyWord } from './folded-text';

/** How many of the newest rows are compared with a text, whatever it is: of all accounts, and of one. */
export const MAX_NEWEST = 2_000;
const MAX_NEWEST_OF_ONE = 5_000;

/** How many rows an index finds at most. */
export const MAX_INDEXED = 5_000;

/** Rows that have a value in a column, which an index of the newest begins with. */
export interface SearchScope {
  readonly column: string;
  readonly value: string;
}

type Run = <Row extends ObjectLiteral>(sqlWith: (placeholder: Placeholder) => string) => Promise<Row[]>;

/** Finds the rows whose text may contain a part, at most {@link MAX_INDEXED}; null without a usable index. */
export type IndexedParts = (
  table: Pick<Table<ObjectLiteral>, 'name' | 'columns'>,
  part: string,
  run: Run,
) => Promise<((placeholder: Placeholder) => string) | null>;

interface SearchedText {
  /** The SQL expression that is searched. */
  readonly text: string;
  /** The order of the newest in all rows, and in those of a scope, as their indexes are sorted. */
  readonly newest: string;
  readonly newestOfScope: string;
  readonly indexed: IndexedParts;
}

interface Found {
  readonly id: string;
  readonly createdAt: Date;
}

/**
 * Finds the rows that contain a text, without regard to accents, case and apostrophes. A statement reads the newest rows
 * first: they have enough of what is frequent, so the index is left with what is rare (decision 51).
 */
export class PartSearch<Entity extends ObjectLiteral & Found> {
  constructor(
    private readonly database: Database,
    private readonly table: Table<Entity>,
    private readonly searched: SearchedText,
  ) {}

  /** @returns at most `limit` rows, newest first; of a scope those among its newest */
  async find(part: string, scope: SearchScope | null, limit: number): Promise<Entity[]> {
    const newest = await this.findNewest(part, scope, limit);
    if (scope !== null || newest.length === limit) return newest;
    const found = new Map([...newest, ...(await this.findIndexed(part, limit))].map((one) => [one.id, one]));
    return [...found.values()].toSorted(newestFirst).slice(0, limit);
  }

  private async findNewest(part: string, scope: SearchScope | null, limit: number): Promise<Entity[]> {
    const { newest, newestOfScope } = this.searched;
    const [order, read] = scope === null ? [newest, MAX_NEWEST] : [newestOfScope, MAX_NEWEST_OF_ONE];
    return this.findAmong(part, limit, order, (placeholder) => {
      const where = scope === null ? '' : `WHERE ${scope.column} = ${placeholder(scope.value)}`;
      return `SELECT ${this.table.columns} FROM ${this.table.name} ${where} ORDER BY ${order} LIMIT ${read}`;
    });
  }

  private async findIndexed(part: string, limit: number): Promise<Entity[]> {
    const source = await this.searched.indexed(this.table, part, this.run);
    return source === null ? [] : this.findAmong(part, limit, this.searched.newest, source);
  }

  private async findAmong(
    part: string,
    limit: number,
    order: string,
    source: (placeholder: Placeholder) => string,
  ): Promise<Entity[]> {
    const rows = await this.run(
      (placeholder) =>
        `SELECT ${this.table.columns} FROM (${source(placeholder)}) AS searched
         WHERE ${contains(this.searched.text, part, placeholder)} ORDER BY ${order} LIMIT ${placeholder(limit)}`,
    );
    return rows.map((row) => this.table.entity(row));
  }

  private readonly run: Run = (sqlWith) => {
    const { sql, params } = buildStatement(sqlWith);
    return this.database.query(sql, params);
  };
}

/** By an index of the trigrams of the folded text, which may be missing. It has none of less than three letters. */
export function byTrigrams(index: string, text: string): IndexedParts {
  return async (table, part, run) => {
    const [found] = await run<{ usable: boolean }>(
      (placeholder) =>
        `SELECT ${folded(`${placeholder(part)}::text`)} ~ '[[:alnum:]]{3}' AND EXISTS (
           SELECT indexrelid FROM pg_index WHERE indexrelid = to_regclass('${index}') AND indisvalid) AS usable`,
    );
    if (!found!.usable) return null;
    // The planner sees neither the text nor the limit: for a frequent text it would read the whole table.
    return (placeholder) =>
      `WITH indexed AS MATERIALIZED (
         SELECT ${table.columns} FROM ${table.name} WHERE ${contains(text, part, placeholder)})
       SELECT ${table.columns} FROM indexed LIMIT ${MAX_INDEXED}`;
  };
}

/** By the key word of the part, which is the beginning of the one of the column. */
export function byKeyWord(column: string): IndexedParts {
  return ({ name, columns }, part) =>
    Promise.resolve((placeholder) => {
      const [word, first] = [keyWord(column), keyWord(`${placeholder(part)}::text`)];
      return `SELECT ${columns} FROM ${name} WHERE ${column} IS NOT NULL
          AND ${word} >= (SELECT ${first} AS first) AND ${word} < (SELECT (${first}) || chr(1114111) AS beyond)
        ORDER BY ${word} LIMIT ${MAX_INDEXED}`;
    });
}

function contains(text: string, part: string, placeholder: Placeholder): string {
  return `${folded(text)} LIKE (SELECT ${folded(`${placeholder(containing(part))}::text`)} AS pattern)`;
}

function newestFirst(one: Found, other: Found): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1);
}
