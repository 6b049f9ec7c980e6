import { QueryClient } from '@tanstack/react-query';
import { ApiError, type components, Countinghouse } from 'countinghouse-client';
import { withVisibleControls } from '../i18n/directions';
import { session } from '../session/session';

export type Schemas = components['schemas'];

/** The public API, with the token of the session. What it returns is for the screen. */
export const api = new Countinghouse({
  baseUrl: location.origin,
  fetch: async (request, init) => {
    const response = await session.fetch(request, init);
    const text = withVisibleControls(await response.text()); // the service escapes none of them
    return new Response(text || null, response);
  },
  retry: { attempts: 3, maxDelayMs: 2_000, timeoutMs: 20_000 },
});

/** How old numbers on the screen become before they are read again. */
export const REFRESH_MS = 15_000;

export const queries = new QueryClient({
  defaultOptions: {
    queries: { retry: false, staleTime: 5_000, refetchOnWindowFocus: true },
    mutations: { retry: false },
  },
});

/** Whether the service would do it after a sign-in of the last minutes: only its message tells that from an ended session. */
export function needsRecentSignIn(error: unknown): boolean {
  return error instanceof ApiError && error.is('unauthorized') && error.message.includes('requires a login');
}

/** Whether the error says that something does not exist. */
export function isAbsent(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404;
}
