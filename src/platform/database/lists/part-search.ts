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

interface SearchedText {
  /** The SQL expression that is searched. */
  readonly text: string;
  /** The order of the newest in all rows, and in those of a scope, as their indexes are sorted. */
  readonly newest: string;
  readonly newestOfScope: string;
  /** An index of the trigrams of the folded text, which may be missing; by default there is one of its key words. */
  readonly trigrams?: string;
}

/** A statement, or the rows of one. */
type RowsWith = (placeholder: Placeholder) => string;

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
    const { newest, trigrams } = this.searched;
    if (trigrams === undefined) return this.findAmong(part, limit, newest, this.byKeyWord(part));
    if (!(await this.isUsable(trigrams, part))) return [];
    return this.findAmong(part, limit, newest, this.byTrigrams(part));
  }

  /** An index has no trigrams of less than three letters. */
  private async isUsable(index: string, part: string): Promise<boolean> {
    const [found] = await this.run<{ usable: boolean }>(
      (placeholder) =>
        `SELECT ${folded(`${placeholder(part)}::text`)} ~ '[[:alnum:]]{3}' AND EXISTS (
           SELECT indexrelid FROM pg_index WHERE indexrelid = to_regclass('${index}') AND indisvalid) AS usable`,
    );
    return found!.usable;
  }

  /** The planner sees neither the text nor the limit: for a frequent text it would read the whole table. */
  private byTrigrams(part: string): RowsWith {
    const { columns, name } = this.table;
    return (placeholder) =>
      `WITH indexed AS MATERIALIZED (
         SELECT ${columns} FROM ${name} WHERE ${contains(this.searched.text, part, placeholder)})
       SELECT ${columns} FROM indexed LIMIT ${MAX_INDEXED}`;
  }

  /** By the key word of the part, which is the beginning of the one of the text. */
  private byKeyWord(part: string): RowsWith {
    const { text } = this.searched;
    return (placeholder) => {
      const [word, first] = [keyWord(text), keyWord(`${placeholder(part)}::text`)];
      return `SELECT ${this.table.columns} FROM ${this.table.name} WHERE ${text} IS NOT NULL
          AND ${word} >= (SELECT ${first} AS first) AND ${word} < (SELECT (${first}) || chr(1114111) AS beyond)
        ORDER BY ${word} LIMIT ${MAX_INDEXED}`;
    };
  }

  private async findAmong(part: string, limit: number, order: string, source: RowsWith): Promise<Entity[]> {
    const rows = await this.run(
      (placeholder) =>
        `SELECT ${this.table.columns} FROM (${source(placeholder)}) AS searched
         WHERE ${contains(this.searched.text, part, placeholder)} ORDER BY ${order} LIMIT ${placeholder(limit)}`,
    );
    return rows.map((row) => this.table.entity(row));
  }

  private run<Row extends ObjectLiteral>(sqlWith: RowsWith): Promise<Row[]> {
    const { sql, params } = buildStatement(sqlWith);
    return this.database.query<Row>(sql, params);
  }
}

function contains(text: string, part: string, placeholder: Placeholder): string {
  return `${folded(text)} LIKE (SELECT ${folded(`${placeholder(containing(part))}::text`)} AS pattern)`;
}

function newestFirst(one: Found, other: Found): number {
  return other.createdAt.getTime() - one.createdAt.getTime() || (one.id < other.id ? 1 : -1);
}
