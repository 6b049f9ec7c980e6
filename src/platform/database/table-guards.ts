import { escapeLiteral } from 'pg';
import { Snapshot } from './tx';

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
  const actual = await triggerDigests(snapshot, table);
  return Object.entries(triggers)
    .filter(([name, digest]) => actual[name] !== digest)
    .map(([name]) => `${table}: the trigger ${name} is missing, disabled or changed`);
}

/** Returns the digests of the enabled triggers of a table, which are the same on all versions of PostgreSQL. */
export async function triggerDigests(snapshot: Snapshot, table: string): Promise<TableGuards['triggers']> {
  const digests: Record<string, string> = {};
  // What the trigger really calls is compared, since its definition shows only the name of the function.
  const sql = `SELECT tgname AS name, encode(sha256(convert_to(concat_ws(E'\\n',
                 pg_get_triggerdef(t.oid, true), lanname, proconfig::text, prosrc), 'UTF8')), 'hex') AS digest
               FROM pg_trigger t JOIN pg_proc p ON p.oid = tgfoid JOIN pg_language l ON l.oid = prolang
               WHERE tgrelid = ${escapeLiteral(table)}::regclass AND tgenabled = 'O'`;
  for await (const rows of snapshot.stream<{ name: string; digest: string }>(sql, BATCH))
    for (const { name, digest } of rows) digests[name] = digest;
  return digests;
}
