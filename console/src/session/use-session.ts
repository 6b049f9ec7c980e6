import { useEffect, useState, useSyncExternalStore } from 'react';
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
