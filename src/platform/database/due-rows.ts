import type { Database } from './database';

/** Where a table has its due times. */
export interface DueColumns {
  readonly table: string;
  /** The column with the due time. */
  readonly dueAt: string;
  /** A further SQL condition: the predicate of the partial index that serves the look-up. */
  readonly where?: string;
  /** What tells one row from the others, and names it when it is due: SQL; by default `id`. */
  readonly id?: string;
  /** The account that the row is stored under: SQL; by default `account_id`. */
  readonly accountId?: string;
}

export interface DueRow {
  readonly accountId: string;
  readonly id: string;
  readonly dueAt: Date;
}

/** Finds rows that are due, the earliest first, without the excluded ids. */
export async function findDueRows(
  database: Database,
  { table, dueAt, where = 'true', id = 'id', accountId = 'account_id' }: DueColumns,
  now: Date,
  excludedIds: readonly string[],
  limit: number,
): Promise<DueRow[]> {
  const rows = await database.sweep<DueRow>(
    table,
    (name) => `SELECT ${accountId} AS "accountId", ${id} AS id, ${dueAt} AS "dueAt" FROM ${name}
      WHERE ${where} AND ${dueAt} <= $1 AND ${id} <> ALL ($2) ORDER BY ${dueAt} LIMIT $3`,
    [now, excludedIds, limit],
  );
  // While a shard moves, both servers may return a row.
  const once = new Map(rows.map((row) => [`${row.accountId} ${row.id}`, row]));
  return [...once.values()].toSorted(inOrder).slice(0, limit);
}

/** Rows of one account and one time follow each other, since they are processed together. */
function inOrder(one: DueRow, other: DueRow): number {
  const difference = one.dueAt.getTime() - other.dueAt.getTime();
  if (difference !== 0) return difference;
  return `${one.accountId} ${one.id}` < `${other.accountId} ${other.id}` ? -1 : 1;
}
