import { useEffect, useState, useSyncExternalStore } from 'react';
import { useAccount } from '../api/account';
import { useMessages } from '../i18n/i18n';
import { isDashboard } from '../place';
import { session, type SessionState } from './session';

export function useSession(): SessionState {
  return useSyncExternalStore(session.subscribe, session.current);
}

/** The signed-in user. Only for what is shown to one. */
export function useUser() {
  const state = useSession();
  if (state.status !== 'signed-in') throw new Error('There is no session.');
  return state.user;
}

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

/** What one sees beside what belongs to accounts. The service tells only the back office who did what. */
export function useMaySee(): { readonly oversight: boolean } {
  const { role } = useUser();
  return { oversight: role === 'admin' || role === 'support' };
}

/** The id of the account whose dashboard it is; null in the console, which shows all. */
export function useOwnAccountId(): string | null {
  const { account_id } = useUser();
  return isDashboard ? account_id : null;
}

/** The last minute before the sign-out is announced. */
const WARNING_SECONDS = 60;
const CHECK_MS = 1_000;

/** Keeps the session while someone is at work, and signs out who does nothing for too long. @returns the seconds that are left, in the last minute */
export function useIdleSignOut(idleSeconds: number): number | null {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    const touch = (): void => session.touch();
    const events = ['pointerdown', 'keydown', 'wheel'] as const;
    for (const name of events) addEventListener(name, touch, { passive: true });
    const timer = setInterval(() => {
      const remaining = Math.ceil(idleSeconds - session.idleSeconds);
      if (remaining <= 0) return void session.signOut('idle');
      session.keep();
      setLeft(remaining <= Math.min(WARNING_SECONDS, idleSeconds / 2) ? remaining : null);
    }, CHECK_MS);
    return () => {
      clearInterval(timer);
      for (const name of events) removeEventListener(name, touch);
    };
  }, [idleSeconds]);
  return left;
}
