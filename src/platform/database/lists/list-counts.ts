import type { Database } from '../database';

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

/** The view of the counts of the users of each account. */
export const ACCOUNT_USER_COUNTS = 'account_user_counts';

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
  changing: ['status', 'role', 'account_id'],
  furtherColumns: ', type AS role',
};

/**
 * Logs the changes of both lists: accounts have a type, users have a role. A user with an account is also counted as one
 * of a list whose name is the id of the account. A log and not a total, whose row all sign-ups would wait for; triggers,
 * because the previous release, which runs during an upgrade, changes rows too.
 */
export const LOG_CHANGES = `
  CREATE OR REPLACE FUNCTION log_list_count_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       SELECT name, (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.status,
              coalesce(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'role'), -1
       FROM unnest(ARRAY[TG_ARGV[0], to_jsonb(OLD) ->> 'account_id']) AS name WHERE name IS NOT NULL;
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       SELECT name, (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.status,
              coalesce(to_jsonb(NEW) ->> 'type', to_jsonb(NEW) ->> 'role'), 1
       FROM unnest(ARRAY[TG_ARGV[0], to_jsonb(NEW) ->> 'account_id']) AS name WHERE name IS NOT NULL;
     END IF;
     RETURN NULL;
   END $$`;

/** Statements that start to count a list, also while another release writes to it. They can be repeated. */
export function startCounting(list: CountedList): string[] {
  return [...sqlLogChanges(list), ...countAnew(list)];
}

/** Statements that log the changes of a list from now on. */
export function sqlLogChanges({ table, view, changing, furtherColumns }: CountedList): string[] {
  const hasChanged = changing.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(' OR ');
  const call = `EXECUTE FUNCTION log_list_count_change('${table}')`;
  return [
    `CREATE OR REPLACE VIEW ${view} AS
     SELECT day, status, type, count${furtherColumns} FROM list_counts WHERE list = '${table}'
     UNION ALL
     SELECT day, status, type, change::bigint${furtherColumns} FROM list_count_changes WHERE list = '${table}'`,
    `CREATE OR REPLACE TRIGGER ${table}_counted AFTER INSERT OR DELETE ON ${table} FOR EACH ROW ${call}`,
    // The condition is checked at every posting of an account, so it is not part of the function.
    `CREATE OR REPLACE TRIGGER ${table}_recounted AFTER UPDATE OF ${changing.join(', ')} ON ${table} FOR EACH ROW
     WHEN (${hasChanged}) ${call}`,
  ];
}

const IS_OF_ACCOUNT = `list NOT IN ('${countedAccounts.table}', '${countedUsers.table}')`;

/** The users of one account are counted in the lists whose names are ids. */
export const CREATE_ACCOUNT_USER_COUNTS = `
  CREATE OR REPLACE VIEW ${ACCOUNT_USER_COUNTS} AS
  SELECT list AS account_id, day, status, type AS role, count FROM list_counts WHERE ${IS_OF_ACCOUNT}
  UNION ALL
  SELECT list, day, status, type, change::bigint FROM list_count_changes WHERE ${IS_OF_ACCOUNT}`;

/** Like `countAnew`, for the users of each account. */
export const COUNT_USERS_OF_ACCOUNTS_ANEW = [
  `DELETE FROM list_counts WHERE ${IS_OF_ACCOUNT}`,
  `WITH counted AS (DELETE FROM list_count_changes WHERE ${IS_OF_ACCOUNT})
   INSERT INTO list_counts (list, day, status, type, count)
   SELECT account_id, (created_at AT TIME ZONE 'UTC')::date, status, role, count(*)
   FROM ${countedUsers.table} WHERE account_id IS NOT NULL GROUP BY 1, 2, 3, 4`,
];

/** Statements that remove the counts of the users of each account. */
export const FORGET_USERS_OF_ACCOUNTS = [
  `DROP VIEW IF EXISTS ${ACCOUNT_USER_COUNTS}`,
  `DELETE FROM list_counts WHERE ${IS_OF_ACCOUNT}`,
  `DELETE FROM list_count_changes WHERE ${IS_OF_ACCOUNT}`,
];

/** Statements that replace the counts of a list; a reader needs both in one transaction. */
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
