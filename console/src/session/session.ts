import { ApiError } from 'countinghouse-client';
import { place } from '../place';
import { discardDrafts, draftsOf } from './drafts';

type Role = 'admin' | 'platform' | 'support' | 'user';

interface SessionUser {
  readonly id: string;
  readonly email: string;
  readonly name: string | null;
  readonly role: Role;
  /** The account that the session acts for. */
  readonly account_id: string | null;
  readonly membership_role: 'owner' | 'member' | null;
}

/** Why there is no session, where that is worth a word. */
type Reason = 'idle' | 'ended' | null;

export type SessionState =
  | { readonly status: 'restoring' }
  | { readonly status: 'unreachable' }
  | { readonly status: 'signing-out'; readonly reason: Reason; readonly hasFailed: boolean }
  | { readonly status: 'signed-out'; readonly reason: Reason }
  | {
      readonly status: 'signed-in';
      readonly user: SessionUser;
      readonly mustEnrol: boolean;
      /** Whether no real money moves. */
      readonly testMode: boolean;
      readonly idleSeconds: number;
    };

interface SessionResponse {
  readonly access_token: string;
  readonly expires_in: number;
  readonly idle_seconds: number;
  readonly must_enrol: boolean;
  readonly test_mode: boolean;
  readonly user: SessionUser;
}

interface EndResponse {
  /** Where the browser signs out of the provider through which it signed in. */
  readonly sign_out_url?: string;
}

/** How long the end of a session is waited for. */
const END_MS = 10_000;

/** While someone is at work, the session is renewed no more often than this. */
const KEEP_MS = 60_000;

/** A token this close to its end is renewed before it is used. */
const RENEWAL_MARGIN_MS = 30_000;

/**
 * The session of the application. The access token is in memory only; the refresh token is in a cookie that no script can
 * read, so that a reload finds the session again. Other tabs hear of the end of the session.
 */
class ConsoleSession {
  private state: SessionState = { status: 'restoring' };
  private accessToken = '';
  private expiresAt = 0;
  private renewal: Promise<boolean> | undefined;
  /** The last sign-in. It ends the session before, whose token must not be renewed meanwhile. */
  private opening: Promise<unknown> | undefined;
  private ending: Promise<void> | undefined;
  private readonly listeners = new Set<() => void>();
  private readonly tabs = new BroadcastChannel(`countinghouse-${place}`);
  private lastActivity = Date.now();
  private lastRenewal = 0;
  /** Whether someone did something in this tab that the service has not heard of. */
  private hasNewActivity = false;

  constructor() {
    this.tabs.onmessage = ({ data }: MessageEvent<'active' | 'left' | 'ended'>) => {
      if (data === 'left') this.discardDrafts();
      if (data === 'active') this.lastActivity = Date.now();
      else if (data === 'ended' && this.state.status === 'signed-in') this.drop('ended');
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  readonly current = (): SessionState => this.state;

  /** Seconds since someone did something in any tab. */
  get idleSeconds(): number {
    return (Date.now() - this.lastActivity) / 1000;
  }

  /** Finds the session of the cookie after a reload. */
  async restore(): Promise<void> {
    const mark = readMark();
    if (mark !== null) return this.signOut(mark === 'idle' ? 'idle' : null);
    try {
      await this.renew(null);
    } catch {
      this.set({ status: 'unreachable' });
    }
  }

  /** @throws ApiError as the login of the API; TypeError without a connection */
  async signIn(email: string, password: string, otp?: string): Promise<void> {
    const opening = call('POST', '', { email, password, ...(otp !== undefined && { otp }) });
    this.opening = opening.catch(() => undefined);
    this.accept(await opening);
  }

  /** Shows nothing of the session any more. The state says so if it goes on: its cookie would open it again. */
  signOut(reason: Reason = null): Promise<void> {
    this.ending ??= this.end(reason).finally(() => (this.ending = undefined));
    return this.ending;
  }

  private async end(reason: Reason): Promise<void> {
    if (reason === null) {
      this.tabs.postMessage('left');
      this.discardDrafts();
      history.replaceState(null, '', `/${place}/`); // the address tells what one has looked at
    }
    setMark(reason ?? '');
    this.forgetToken();
    if (this.state.status !== 'signing-out') this.set({ status: 'signing-out', reason, hasFailed: false });
    let ended: EndResponse | null = null;
    try {
      ended = await call<EndResponse>('DELETE', '', undefined, AbortSignal.timeout(END_MS));
    } catch (error) {
      if (isTemporary(error)) return this.set({ status: 'signing-out', reason, hasFailed: true });
    }
    setMark(null);
    this.tabs.postMessage('ended');
    this.drop(reason);
    if (reason === null && ended?.sign_out_url !== undefined) location.assign(ended.sign_out_url);
  }

  /** Records that someone is at work. */
  touch(): void {
    const now = Date.now();
    if (now - this.lastActivity > 5_000) this.tabs.postMessage('active');
    this.lastActivity = now;
    this.hasNewActivity = true;
  }

  /** Renews the session soon after work, because the service ends one that is not renewed. */
  keep(): void {
    const { state } = this;
    if (state.status !== 'signed-in' || !this.hasNewActivity) return;
    const interval = Math.min(KEEP_MS, (state.idleSeconds * 1000) / 3);
    if (Date.now() - this.lastRenewal < interval) return;
    this.lastRenewal = Date.now();
    void this.renew('ended').catch(() => undefined);
  }

  /** Sends a request of the API with the token, and once more when the service rejects the token. */
  readonly fetch = async (request: Request, init?: RequestInit): Promise<Response> => {
    if (this.state.status !== 'signed-in') return noSession();
    const isExpired = Date.now() > this.expiresAt - RENEWAL_MARGIN_MS;
    if (isExpired && !(await this.renew('ended'))) return noSession();
    const response = await fetch(this.authorized(request), init);
    if (!(await isRejected(response)) || !(await this.renew('ended'))) return response;
    return fetch(this.authorized(request), init);
  };

  private authorized(request: Request): Request {
    const copy = request.clone();
    copy.headers.set('Authorization', `Bearer ${this.accessToken}`);
    return copy;
  }

  /** All who need a new token share one. @returns whether there is a session */
  private renew(reasonIfEnded: Reason): Promise<boolean> {
    this.renewal ??= this.renewOnce(reasonIfEnded).finally(() => (this.renewal = undefined));
    return this.renewal;
  }

  private async renewOnce(reasonIfEnded: Reason): Promise<boolean> {
    await this.opening;
    try {
      const opened = await call('POST', '/refresh');
      // Only a sign-in or a reload begins another session, or what one person has begun would go on as somebody else.
      const isBegun = ['signed-in', 'restoring', 'unreachable'].includes(this.state.status);
      return isBegun && this.accept(opened, reasonIfEnded);
    } catch (error) {
      if (isTemporary(error)) throw error;
      this.drop(reasonIfEnded);
      return false;
    }
  }

  /** @returns whether there is a session */
  private accept(opened: SessionResponse | null, reasonIfEnded: Reason = null): boolean {
    if (opened === null) {
      this.drop(reasonIfEnded);
      return false;
    }
    const { access_token, expires_in, idle_seconds, must_enrol, test_mode, user } = opened;
    if (this.isOfSomebodyElse(user)) {
      this.drop('ended');
      return false;
    }
    this.accessToken = access_token;
    this.expiresAt = Date.now() + expires_in * 1000;
    this.lastRenewal = Date.now();
    this.hasNewActivity = false;
    if (this.state.status !== 'signed-in') this.lastActivity = Date.now();
    this.set({
      status: 'signed-in',
      user,
      mustEnrol: must_enrol,
      testMode: test_mode,
      idleSeconds: idle_seconds,
    });
    return true;
  }

  /**
   * Whether another user or account has signed in, in another tab of this browser, which has one cookie. Nothing that
   * someone has begun here may be done as somebody else.
   */
  private isOfSomebodyElse({ id, account_id }: SessionUser): boolean {
    if (this.state.status !== 'signed-in') return false;
    const { user } = this.state;
    return id !== user.id || account_id !== user.account_id;
  }

  private drop(reason: Reason): void {
    this.forgetToken();
    this.set({ status: 'signed-out', reason });
  }

  /** What someone has typed stays for their next session, unless they leave. */
  private discardDrafts(): void {
    if (this.state.status === 'signed-in') discardDrafts(draftsOf(this.state.user.id));
  }

  private forgetToken(): void {
    this.accessToken = '';
    this.expiresAt = 0;
  }

  private set(state: SessionState): void {
    this.state = state;
    this.listeners.forEach((listener) => listener());
  }
}

export const session = new ConsoleSession();

const MARK = `countinghouse.${place}.leaving`;

/** Why someone has begun to sign out; null for nobody. A reload in between must not open the session again. */
function readMark(): string | null {
  try {
    return localStorage.getItem(MARK);
  } catch {
    return null; // the browser allows no storage
  }
}

function setMark(reason: string | null): void {
  try {
    if (reason === null) localStorage.removeItem(MARK);
    else localStorage.setItem(MARK, reason);
  } catch {
    // without storage, a reload can open the session again
  }
}

/** The response to what is not sent, because its session has ended. */
function noSession(): Response {
  return Response.json({ error: 'unauthorized', message: 'The session has ended.' }, { status: 401 });
}

/**
 * Whether the token is rejected. A wrong password or code has the same status, and counts each time that it is sent. A
 * valid token that is not sufficient has the same code, and another token of the session would not be either.
 */
async function isRejected(response: Response): Promise<boolean> {
  if (response.status !== 401) return false;
  const { error, message = '' } = (await response
    .clone()
    .json()
    .catch(() => ({}))) as { error?: string; message?: string };
  return error === 'unauthorized' && !message.startsWith('The token is valid');
}

/** Whether it may work later. Other errors say that there is no session. */
function isTemporary(error: unknown): boolean {
  return !(error instanceof ApiError) || error.status >= 500 || error.status === 429;
}

/**
 * Calls the session of the service. The header is one that a page of another site cannot set.
 * @returns null where there is no session
 */
async function call<Answer = SessionResponse>(
  method: 'POST' | 'DELETE',
  path: string,
  body?: object,
  signal: AbortSignal | null = null,
): Promise<Answer | null> {
  const response = await fetch(`/${place}/session${path}`, {
    method,
    signal,
    headers: {
      'X-Console': '1',
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  if (response.status === 204) return null;
  const answer = (await response.json().catch(() => ({}))) as Answer & {
    error?: string;
    message?: string;
  };
  if (response.ok) return answer;
  const { error = 'unknown', message = '' } = answer;
  throw new ApiError(error, message, response.status, response.headers.get('x-request-id'));
}
