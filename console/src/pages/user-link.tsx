import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { api, audited } from '../api/client';
import { IdLink } from '../ui/id-link';
import { pageOf } from './links';

/** Reads a user. @param id null for none */
export function useUserOf(id: string | null) {
  return useQuery({
    queryKey: ['user', id],
    queryFn: ({ signal }) =>
      api.get('/v1/users/{user_id}', {
        params: { path: { user_id: id! }, query: { view: 'full' } },
        signal,
      }),
    enabled: id !== null,
    ...audited,
  });
}

/** A user by name, where one must know who it is. Deleted users have only their id. */
export function UserLink({ id }: { readonly id: string }) {
  const { data } = useUserOf(id);
  if (data === undefined) return <IdLink id={id} />;
  return <Link href={pageOf(id)!}>{data.name ?? data.email}</Link>;
}
