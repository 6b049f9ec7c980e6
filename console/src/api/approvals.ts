import { useQuery } from '@tanstack/react-query';
import { ApiError } from 'countinghouse-client';
import { useMaySee } from '../session/use-session';
import { api, REFRESH_MS, type Schemas } from './client';

export type Approval = Schemas['ApprovalResponse'];

/** Whether the service would do it only after a second admin approves it: it names the operation that asks for that. */
export function needsApproval(error: unknown): boolean {
  return error instanceof ApiError && error.is('conflict') && error.message.includes('POST /v1/approvals');
}

/**
 * The approvals that wait for an admin, newest first: at most 100.
 * @param accountId only those about this account
 * @returns undefined until they are read
 */
export function useWaitingApprovals(accountId?: string): readonly Approval[] | undefined {
  const { oversight } = useMaySee();
  const query = { status: 'pending' as const, limit: 100, ...(accountId && { account_id: accountId }) };
  const { data } = useQuery({
    queryKey: ['approvals', 'waiting', accountId],
    queryFn: ({ signal }) => api.get('/v1/approvals', { params: { query }, signal }),
    enabled: oversight,
    refetchInterval: REFRESH_MS,
  });
  return oversight ? data?.data : [];
}
