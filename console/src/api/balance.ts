import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS } from './client';

/** The balance of an account, which is read again now and then. @param accountId undefined for none */
export function useBalance(accountId: string | undefined) {
  return useQuery({
    queryKey: ['balance', accountId],
    queryFn: ({ signal }) =>
      api.get('/v1/accounts/{account_id}/balance', {
        params: { path: { account_id: accountId! } },
        signal,
      }),
    enabled: accountId !== undefined,
    refetchInterval: REFRESH_MS,
  });
}
