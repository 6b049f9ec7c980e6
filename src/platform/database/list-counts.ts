import { Database } from './database';

/** How many changes one run adds to the counts. */
const BATCH = 5_000;

/**
 * Adds logged changes to the counts of page lists (decision 52). Rows that another replica is adding are skipped. Both
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

/** A list whose rows are counted by day, status and type. */
interface CountedList {
  readonly table: string;
  /** The view of its counts. */
  readonly view: string;
  /** The column that is counted as the type of a row. */
  readonly type: string;
  /** The columns whose changes change the counts. */
  readonly changing: readonly string[];
  /** Columns of the view besides `day, status, type, count`. */
  readonly furtherColumns: string;
}

export const countedAccounts: CountedList = {
  table: 'accounts',
  view: 'account_counts',
  type: 'type',
  changing: ['status'],
  furtherColumns: '',
};
export const countedUsers: CountedList = {
  table: 'users',
  view: 'user_counts',
  type: 'role',
  changing: ['status', 'role'],
  furtherColumns: ', type AS role',
};

/** Logs the changes of both lists: accounts have a type, users have a role. */
export const LOG_CHANGES = `
  CREATE OR REPLACE FUNCTION log_list_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.status,
               coalesce(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'role'), -1);
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       VALUES (TG_ARGV[0], (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.status,
               coalesce(to_jsonb(NEW) ->> 'type', to_jsonb(NEW) ->> 'role'), 1);
     END IF;
     RETURN NULL;
   END $$`;

/** Statements that start to count a list, also while another release writes to it. They can be repeated. */
export function startCounting(list: CountedList): string[] {
  return [...logChangesOf(list), ...countAnew(list)];
}

/** Statements that log the changes of a list from now on. */
export function logChangesOf({ table, view, changing, furtherColumns }: CountedList): string[] {
  const hasChanged = changing.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');
  const log = `FOR EACH ROW`;
  const call = `EXECUTE FUNCTION log_list_count_change('${table}')`;
  return [
    `CREATE OR REPLACE VIEW ${view} AS
     SELECT day, status, type, count${furtherColumns} FROM list_counts WHERE list = '${table}'
     UNION ALL
     SELECT day, status, type, change::bigint${furtherColumns} FROM list_count_changes WHERE list = '${table}'`,
    `CREATE OR REPLACE TRIGGER ${table}_counted AFTER INSERT OR DELETE ON ${table} ${log} ${call}`,
    // The condition is checked at every posting of an account, so it is not part of the function.
    `CREATE OR REPLACE TRIGGER ${table}_recounted AFTER UPDATE OF ${changing.join(', ')} ON ${table} ${log}
     WHEN (${hasChanged}) ${call}`,
  ];
}

/** Statements that replace the counts of a list; whoever reads them meanwhile needs both in one transaction. */
export function countAnew({ table, type }: CountedList): string[] {
  return [
    `DELETE FROM list_counts WHERE list = '${table}'`,
    // In one snapshot: the log loses exactly the changes that are counted with the rows.
    `WITH counted AS (DELETE FROM list_count_changes WHERE list = '${table}')
     INSERT INTO list_counts (list, day, status, type, count)
     SELECT '${table}', day, status, type, count FROM (${countsOfRows(table, type)}) AS counts`,
  ];
}

/**
 * Statements that replace the counts of a list by reads of its rows: triggers on the workers of Citus cannot write to a
 * table of the coordinator. They can be repeated.
 */
export function stopCounting({ table, view, type, furtherColumns }: CountedList): string[] {
  return [
    `DROP TRIGGER IF EXISTS ${table}_counted ON ${table}`,
    `DROP TRIGGER IF EXISTS ${table}_recounted ON ${table}`,
    `CREATE OR REPLACE VIEW ${view} AS SELECT *${furtherColumns} FROM (${countsOfRows(table, type)}) AS counts`,
  ];
}

const countsOfRows = (table: string, type: string): string =>
  `SELECT (created_at AT TIME ZONE 'UTC')::date AS day, status, ${type} AS type, count(*) AS count
   FROM ${table} GROUP BY 1, 2, 3`;
