type Query = <Row extends object>(sql: string) => Promise<readonly Row[]>;

/** The number of active admins, at most 100; null before the migrations. */
export async function countAdmins(query: Query): Promise<number | null> {
  const [table] = await query<{ name: string | null }>("SELECT to_regclass('users')::text AS name");
  if (table!.name === null) return null;
  const [row] = await query<{ admins: number }>(
    "SELECT count(*)::int AS admins FROM (SELECT FROM users WHERE role = 'admin' AND status = 'active' LIMIT 100) found",
  );
  return row!.admins;
}
