import { ConfigError } from '../../config/settings';

/** Runs one statement: on the pool of the service, or on the connection of a command. */
export type RunSql = <Row extends object>(sql: string, params: readonly unknown[]) => Promise<Row[]>;

/** The names of what `citus:distribute` adds to a database. */
export const TWO_PHASE_TRIGGER = 'citus_two_phase_commit';
export const TWO_PHASE_TABLE = 'citus_two_phase_commits';

/** The table whose rows all others of an account are stored beside, by its id. */
export const ROOT_TABLE = 'accounts';

/** Where the rows of a table belong in a database that Citus distributes. */
export interface TablePlacement {
  /** The name as SQL, with the schema where it is needed. */
  readonly table: string;
  /** The column by which the rows are distributed, or null if the table stays on the coordinator. */
  readonly column: string | null;
  readonly isPlaced: boolean;
  readonly bytes: number;
}

/**
 * Rows that belong to an account are distributed by it: `accounts` by its id, and each table whose primary key starts
 * with `account_id`. All other tables stay on the coordinator. A trigger on each of them makes the commit of a
 * transaction that writes to it a two-phase commit: without it, the coordinator and the workers commit separately.
 */
const PLACEMENTS = `
  SELECT c.oid::regclass::text AS "table", wanted.column_name AS "column", pg_total_relation_size(c.oid)::float8 AS bytes,
    CASE WHEN wanted.column_name IS NULL THEN d.logicalrelid IS NOT NULL OR EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = c.oid AND tgname = '${TWO_PHASE_TRIGGER}' AND tgenabled = 'O')
      ELSE coalesce(d.partmethod = 'h' AND column_to_column_name(c.oid, d.partkey) = wanted.column_name AND d.colocationid =
        (SELECT colocationid FROM pg_dist_partition WHERE logicalrelid = to_regclass('${ROOT_TABLE}')), false)
    END AS "isPlaced"
  FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
  LEFT JOIN pg_dist_partition d ON d.logicalrelid = c.oid
  CROSS JOIN LATERAL (SELECT CASE WHEN c.oid = to_regclass('${ROOT_TABLE}') THEN 'id' ELSE (
      SELECT attname FROM pg_index JOIN pg_attribute ON attrelid = indrelid AND attnum = indkey[0]
      WHERE indrelid = c.oid AND indisprimary AND attname = 'account_id') END AS column_name) wanted
  WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '${TWO_PHASE_TABLE}'
    AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema' AND NOT relation_is_a_known_shard(c.oid)
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')
  ORDER BY wanted.column_name IS NOT NULL, c.oid <> to_regclass('${ROOT_TABLE}'), 1`;

/** The names of what the service's statements can name, and what only the coordinator has. */
export const LOCAL_RELATIONS = `
  SELECT relname AS name FROM pg_class c
  WHERE relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = '${ROOT_TABLE}'::regclass)
    AND relkind IN ('r', 'p', 'v', 'm', 'S') AND NOT relispartition
    AND NOT EXISTS (SELECT FROM pg_dist_partition WHERE logicalrelid = c.oid AND partmethod = 'h')
    AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = c.oid AND deptype = 'e')`;

/** Whether the database has the extension. Only then do the other functions of this folder work. */
export async function hasCitus(run: RunSql): Promise<boolean> {
  return (await run(`SELECT FROM pg_extension WHERE extname = 'citus'`, [])).length > 0;
}

/** All tables, in the order in which they are placed. */
export function readPlacements(run: RunSql): Promise<TablePlacement[]> {
  return run<TablePlacement>(PLACEMENTS, []);
}

/** Whether Citus distributes tables of the database. */
export async function isDistributed(run: RunSql): Promise<boolean> {
  const distributed = `SELECT FROM pg_dist_partition WHERE partmethod = 'h'`;
  return (await hasCitus(run)) && (await run(distributed, [])).length > 0;
}

/**
 * A table that a migration has added after the distribution would commit apart from the others, so the service does not
 * start before the table is placed.
 * @throws ConfigError naming the tables
 */
export async function assertPlaced(run: RunSql): Promise<void> {
  const missing = (await readPlacements(run)).filter(({ isPlaced }) => !isPlaced);
  if (missing.length === 0) return;
  const tables = missing.map(({ table }) => table).join(', ');
  throw new ConfigError(
    `DATABASE_URL: the database is distributed, but not these tables: ${tables}. Stop all replicas and run citus:distribute.`,
  );
}
