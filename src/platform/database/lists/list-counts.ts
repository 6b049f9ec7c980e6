import type { Database } from '../database';

/** A list by page number whose rows are counted by day, status and type; a migration starts it. */
export interface CountedList {
  readonly table: string;
  /** The view of its counts. */
  readonly view: string;
  /** The column that is counted as the type of a row. */
  readonly type: string;
}

/**
 * Statements that replace the counts of a list by reads of its rows: triggers on the workers of Citus cannot write to a
 * table of the coordinator. They can be repeated.
 */
export function stopCounting({ table, view, type }: CountedList): string[] {
  return [
    `DROP TRIGGER IF EXISTS ${table}_counted ON ${table}`,
    `DROP TRIGGER IF EXISTS ${table}_recounted ON ${table}`,
    `CREATE OR REPLACE VIEW ${view} AS SELECT * FROM (${countsOfRows(table, type)}) AS counts`,
  ];
}

export const countsOfRows = (table: string, type: string): string =>
  `SELECT (created_at AT TIME ZONE 'UTC')::date AS day, status, ${type} AS type, count(*) AS count
   FROM ${table} GROUP BY 1, 2, 3`;

/** How many changes one run adds to the counts. */
const BATCH = 5_000;

/**
 * Adds logged changes to the counts of page lists (decision 51). Rows that another replica is adding are skipped. Both
 * happen in one statement, so a reader sees each change either in the log or in the counts.
 */
const FOLD = `
  WITH batch AS (SELECT id FROM list_count_changes ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED),
  changes AS (
    DELETE FROM list_count_changes WHERE id IN (SELECT id FROM batch) RETURNING list, day, status, type, change
  ),
  added AS (
    INSERT INTO list_counts (list, day, status, type, count)
    SELECT list, day, status, type, sum(change) FROM changes
    GROUP BY list, day, status, type HAVING sum(change) <> 0 ORDER BY list, day, status, type
    ON CONFLICT (list, day, status, type) DO UPDATE SET count = list_counts.count + excluded.count
  )
  SELECT count(*)::integer AS folded FROM changes`;

/** Shortens the log that every read of a count adds up. @returns whether there may be more */
export async function foldListCounts(database: Database): Promise<boolean> {
  const [row] = await database.query<{ folded: number }>(FOLD, []);
  return row!.folded === BATCH;
}
