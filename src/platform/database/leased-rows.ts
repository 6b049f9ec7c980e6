import type { QueryResultRow } from 'pg';
import type { Database } from './database';
import { type DueColumns, type DueRow, findDueRows } from './due-rows';

/** Where a table has its due times, and how often what is due has been attempted. */
interface LeasedColumns extends DueColumns {
  readonly attempts: string;
}

/** Names a row by its columns. */
type Key = Readonly<Record<string, string>>;

/** What a row is left with. Without a due time and with attempts, it is given up. */
export interface LeaseEnd {
  readonly dueAt: Date | null;
  readonly attempts: number;
}

/**
 * Rows that are due for work outside of the database. A process that claims one moves its due time ahead, until when it
 * works on it and no other process does. It is due again then if the process has died.
 */
export class LeasedRows {
  constructor(
    protected readonly database: Database,
    private readonly columns: LeasedColumns,
  ) {}

  /** Finds those that are due, the earliest first, without the excluded ids. */
  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueRow[]> {
    return findDueRows(this.database, this.columns, now, excludedIds, limit);
  }

  /** Claims a row and counts an attempt. @returns the row, or null when it is not due, or another process has won */
  protected async claimRow<Row extends QueryResultRow>(
    key: Key,
    now: Date,
    until: Date,
  ): Promise<Row | null> {
    const { table, dueAt, attempts } = this.columns;
    const [row] = await this.database.query<Row>(
      `UPDATE ${table} SET ${dueAt} = $1, ${attempts} = ${attempts} + 1
       WHERE ${dueAt} <= $2 AND ${conditions(key, 3)} RETURNING *`,
      [until, now, ...Object.values(key)],
    );
    return row ?? null;
  }

  /** Ends the claim that holds until `until`. Does nothing when the row has become due otherwise in the meantime. */
  protected async releaseRow(key: Key, until: Date, end: LeaseEnd): Promise<void> {
    const { table, dueAt, attempts } = this.columns;
    await this.database.query(
      `UPDATE ${table} SET ${dueAt} = $1, ${attempts} = $2 WHERE ${dueAt} = $3 AND ${conditions(key, 4)}`,
      [end.dueAt, end.attempts, until, ...Object.values(key)],
    );
  }

  /** Counts the rows that wait, or are claimed, and those that are given up. */
  async count(): Promise<{ waiting: number; failed: number }> {
    const { table, dueAt, attempts } = this.columns;
    const [row] = await this.database.query<{ waiting: number; failed: number }>(
      `SELECT (SELECT count(*)::int FROM ${table} WHERE ${dueAt} IS NOT NULL) AS waiting,
         (SELECT count(*)::int FROM ${table} WHERE ${dueAt} IS NULL AND ${attempts} > 0) AS failed`,
      [],
    );
    return row!;
  }
}

function conditions(key: Key, firstPlaceholder: number): string {
  return Object.keys(key)
    .map((column, index) => `${column} = $${firstPlaceholder + index}`)
    .join(' AND ');
}
