import { escapeLiteral } from 'pg';
import type { Snapshot } from '../tx';

/** A table and the triggers that protect it: by name, the digest of the trigger and of its function. */
export interface TableGuards {
  readonly table: string;
  readonly triggers: Readonly<Record<string, string>>;
}

/** A table has fewer triggers. */
const BATCH = 100;

/** @returns one line for each trigger that is missing, disabled, or not what the migrations have created */
export async function guardFaults(
  snapshot: Snapshot,
  { table, triggers }: TableGuards,
): Promise<readonly string[]> {
  const names = Object.keys(triggers);
  const wrongIn = (actual: TableGuards['triggers']): string[] =>
    names.filter((name) => actual[name] !== triggers[name]);
  const faults = wrongIn(await triggerDigests(snapshot, table)).map(
    (name) => `${table}: the trigger ${name} is missing, disabled or changed`,
  );
  for (const [shard, actual] of Object.entries(await shardTriggerDigests(snapshot, table)))
    for (const name of wrongIn(actual))
      faults.push(`${table}: the trigger ${name} is missing, disabled or changed on the shard ${shard}`);
  return faults;
}

/** Returns the digests of the enabled triggers of a table, which are the same on all versions of PostgreSQL. */
export async function triggerDigests(snapshot: Snapshot, table: string): Promise<TableGuards['triggers']> {
  const digests: Record<string, string> = {};
  for await (const rows of snapshot.stream<{ name: string; digest: string }>(sqlDigests(table), BATCH))
    for (const { name, digest } of rows) digests[name] = digest;
  return digests;
}

/** Returns the digests by shard, if Citus distributes the table: its shards have the rows, and their own triggers. */
async function shardTriggerDigests(
  snapshot: Snapshot,
  table: string,
): Promise<Record<string, TableGuards['triggers']>> {
  const digests: Record<string, TableGuards['triggers']> = {};
  let hasCitus = false;
  for await (const _ of snapshot.stream(`SELECT FROM pg_extension WHERE extname = 'citus'`, BATCH))
    hasCitus = true;
  if (!hasCitus) return digests;
  const perShard = `SELECT coalesce(json_object_agg(name, digest), '{}') FROM (${sqlDigests('%s')}) AS triggers`;
  const sql = `SELECT s.shardid AS shard, CASE WHEN s.success THEN s.result ELSE '{}' END AS digests
               FROM pg_dist_partition p, run_command_on_shards(p.logicalrelid, ${escapeLiteral(perShard)}) AS s
               WHERE p.logicalrelid = ${escapeLiteral(table)}::regclass AND p.partmethod = 'h'`;
  for await (const rows of snapshot.stream<{ shard: string; digests: string }>(sql, BATCH))
    for (const row of rows) digests[row.shard] = JSON.parse(row.digests) as TableGuards['triggers'];
  return digests;
}

/**
 * What the trigger really calls is compared, since its definition shows only the name of the function. The names on a
 * shard end with its number, which is left out.
 */
function sqlDigests(table: string): string {
  return `SELECT regexp_replace(tgname, '_\\d+$', '') AS name, encode(sha256(convert_to(concat_ws(E'\\n',
            replace(pg_get_triggerdef(t.oid, true), coalesce(substring(tgname from '_\\d+$'), ''), ''),
            lanname, proconfig::text, prosrc), 'UTF8')), 'hex') AS digest
          FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid JOIN pg_language l ON l.oid = prolang
          WHERE tgrelid = ${escapeLiteral(table)}::regclass AND tgenabled = 'O'`;
}
