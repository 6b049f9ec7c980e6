import { useAccount } from '../api/account';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { useOwnAccountId, useUser } from './use-session';

/** Whether the role may do something, and otherwise whom to ask. */
interface Permission {
  readonly isAllowed: boolean;
  readonly denial: string;
}

/**
 * What one may change. `operate`: the work of a day, such as payment requests and deliveries. `send`: money that goes out.
 * `manage`: who has access, and the account itself. `revoke`: access that somebody has.
 */
export function useMayAct(): Readonly<Record<'operate' | 'send' | 'manage' | 'revoke', Permission>> {
  const { actions: t, dashboard } = useMessages();
  const { role, membership_role } = useUser();
  const status = useAccount(useOwnAccountId()).data?.status;
  if (isDashboard) {
    const owner = { isAllowed: membership_role === 'owner', denial: dashboard.askOwner };
    const unlessSuspended = { isAllowed: status !== 'suspended', denial: dashboard.suspended };
    return {
      operate: unlessSuspended,
      send: status === 'pending' ? { isAllowed: false, denial: dashboard.pending } : unlessSuspended,
      manage: unlessSuspended.isAllowed ? owner : unlessSuspended,
      revoke: owner,
    };
  }
  const operate = { isAllowed: role !== 'support', denial: t.askOperator };
  const manage = { isAllowed: role === 'admin', denial: t.askAdmin };
  return { operate, send: operate, manage, revoke: manage };
}
