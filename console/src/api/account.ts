import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS, type Schemas } from './client';

export const readAccount = (id: string, signal?: AbortSignal) =>
  api.get('/v1/accounts/{account_id}', { params: { path: { account_id: id } }, signal });

/** An account from the list, which is in no audit trail: for pages of something else. Undefined while it is not known. */
export function useListedAccount(id: string): Schemas['AccountItemResponse'] | undefined {
  const { data } = useQuery({
    queryKey: ['listed-account', id],
    queryFn: ({ signal }) => api.get('/v1/accounts', { params: { query: { id } }, signal }),
    refetchInterval: REFRESH_MS,
  });
  return data?.data[0];
}

/** An account, which is read again now and then. @param id null for none */
export function useAccount(id: string | null) {
  return useQuery({
    queryKey: ['account', id],
    queryFn: ({ signal }) => readAccount(id!, signal),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  });
}
