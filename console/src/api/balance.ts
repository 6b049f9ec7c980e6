import { useQuery } from '@tanstack/react-query';
import { isDashboard } from '../place';
import { api, REFRESH_MS } from './client';

/**
 * The balance of an account, which is read again now and then.
 * @param accountId undefined for none
 * @param asOf the day at whose end it was so, in UTC; by default now
 */
export function useBalance(accountId: string | undefined, asOf?: string) {
  return useQuery({
    queryKey: ['balance', accountId, asOf],
    queryFn: ({ signal }) => {
      const query = asOf === undefined ? {} : { as_of: asOf };
      if (isDashboard) return api.get('/v1/account/balance', { params: { query }, signal });
      const path = { account_id: accountId! };
      return api.get('/v1/accounts/{account_id}/balance', { params: { path, query }, signal });
    },
    enabled: accountId !== undefined,
    refetchInterval: REFRESH_MS,
  });
}
