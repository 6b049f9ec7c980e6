import { useEffect, useState, useSyncExternalStore } from 'react';
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

/** What the role may change, beside reading everything. */
export function useMayAct(): {
  readonly settle: boolean;
  readonly manage: boolean;
  readonly deliver: boolean;
} {
  const { role } = useUser();
  return { settle: role !== 'support', manage: role === 'admin', deliver: role !== 'support' };
}

/** The last minute before the sign-out is announced. */
const WARNING_SECONDS = 60;
const CHECK_MS = 1_000;

/** Signs out who does nothing for too long. @returns the seconds that are left, in the last minute */
export function useIdleSignOut(idleSeconds: number): number | null {
  const [left, setLeft] = useState<number | null>(null);
  useEffect(() => {
    const touch = (): void => session.touch();
    const events = ['pointerdown', 'keydown', 'wheel'] as const;
    for (const name of events) addEventListener(name, touch, { passive: true });
    const timer = setInterval(() => {
      const remaining = Math.ceil(idleSeconds - session.idleSeconds);
      if (remaining <= 0) void session.signOut('idle');
      else setLeft(remaining <= Math.min(WARNING_SECONDS, idleSeconds / 2) ? remaining : null);
    }, CHECK_MS);
    return () => {
      clearInterval(timer);
      for (const name of events) removeEventListener(name, touch);
    };
  }, [idleSeconds]);
  return left;
}
