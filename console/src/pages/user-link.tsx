import { Link } from 'wouter';
import { useUserOf } from '../api/users';
import { IdLink } from '../ui/id-link';
import { pageOf } from './links';

/** A user by name, where one must know who it is. Deleted users have only their id. */
export function UserLink({ id }: { readonly id: string }) {
  const { data } = useUserOf(id);
  if (data === undefined) return <IdLink id={id} />;
  return <Link href={pageOf(id)!}>{data.name ?? data.email}</Link>;
}
