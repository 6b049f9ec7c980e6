import { CountedList, countsOfRows } from '../../src/platform/database/lists/list-counts';

interface LoggedList extends CountedList {
  /** The columns whose changes change the counts. */
  readonly changing: readonly string[];
  /** Columns of the view besides `day, status, type, count`. */
  readonly furtherColumns: string;
}

/** The view of the counts of the users of each account. */
const ACCOUNT_USER_COUNTS = 'account_user_counts';

export const countedAccounts: LoggedList = {
  table: 'accounts',
  view: 'account_counts',
  type: 'type',
  changing: ['status'],
  furtherColumns: '',
};
export const countedUsers: LoggedList = {
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
export function startCounting(list: LoggedList): string[] {
  return [...sqlLogChanges(list), ...rebuildCounts(list)];
}

/** Statements that log the changes of a list from now on. */
export function sqlLogChanges({ table, view, changing, furtherColumns }: LoggedList): string[] {
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

/** Like `rebuildCounts`, for the users of each account. */
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
export function rebuildCounts({ table, type }: CountedList): string[] {
  return [
    `DELETE FROM list_counts WHERE list = '${table}'`,
    // In one snapshot: the log loses exactly the changes that are counted with the rows.
    `WITH counted AS (DELETE FROM list_count_changes WHERE list = '${table}')
     INSERT INTO list_counts (list, day, status, type, count)
     SELECT '${table}', day, status, type, count FROM (${countsOfRows(table, type)}) AS counts`,
  ];
}
