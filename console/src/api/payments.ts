import { useQuery } from '@tanstack/react-query';
import { api, REFRESH_MS } from './client';

/** A payment request, which is read again now and then. @param id null for none */
export function usePaymentRequest(id: string | null) {
  return useQuery({
    queryKey: ['payment', id],
    queryFn: ({ signal }) =>
      api.get('/v1/payments/{payment_id}', { params: { path: { payment_id: id! } }, signal }),
    enabled: id !== null,
    refetchInterval: REFRESH_MS,
  });
}
