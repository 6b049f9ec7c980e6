import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS } from './client';

/** A webhook endpoint, which is read again now and then. */
export function useWebhook(id: string) {
  return useQuery({
    queryKey: ['webhook', id],
    queryFn: ({ signal }) =>
      api.get('/v1/webhooks/{webhook_id}', { params: { path: { webhook_id: id } }, signal }),
    refetchInterval: REFRESH_MS,
  });
}
