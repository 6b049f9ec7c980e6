import { aMember, Owner } from '../../support/people';
import { TestService } from '../../support/service';

/** Adds members to an account until it has so many, with credentials but without the time that sign-ups take. */
export async function haveMembers(service: TestService, owner: Owner, count: number): Promise<Owner> {
  const member = await aMember(service.api, owner);
  const copies = (table: string, key: string, email: string): Promise<unknown[]> =>
    service.sql(
      `INSERT INTO ${table} SELECT (copy).* FROM (
         SELECT jsonb_populate_record(original, jsonb_build_object(
           '${key}', left($1, 24) || lpad(n::text, 6, '0'), '${email}', n || original.${email})) AS copy
         FROM ${table} AS original, generate_series(2, $2) AS n WHERE ${key} = $1) AS copies`,
      [member.id, count],
    );
  await copies('users', 'id', 'email');
  await copies('credentials', 'subject_id', 'email_key');
  return member;
}

/** Counts the users that are linked to the account. */
export async function countUsers(service: TestService, { accountId }: Owner): Promise<number> {
  const [row] = await service.sql<{ count: number }>(
    'SELECT count(*)::int AS count FROM users WHERE account_id = $1',
    [accountId],
  );
  return row!.count;
}
