import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS } from './client';

export const readAccount = (id: string, signal?: AbortSignal) =>
  api.get('/v1/accounts/{account_id}', { params: { path: { account_id: id } }, signal });

/** An account, which is read again now and then. @param id null for none */
export function useAccount(id: string | null) {
  return useQuery({
    queryKey: ['account', id],
    queryFn: ({ signal }) => readAccount(id!, signal),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  });
}
