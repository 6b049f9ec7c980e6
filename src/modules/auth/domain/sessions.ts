import type { PageRequest } from '../../../kernel/pages';
import type { Device } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from './principal';
import type { Admission } from './second-factor-check';
import type { Session } from './session';

export interface OpenSession {
  readonly session: Session;
  readonly refreshToken: string;
}

/** Opens, refreshes and ends sessions. */
export abstract class Sessions {
  /** Returns the principal of a session, or null when the session is not live. @param device of the request */
  abstract principalOf(sessionId: string, device: Device): Promise<Principal | null>;

  /**
   * Opens a session. Beyond the limit of live sessions of a user or an account, the oldest one ends.
   * @param consoleIdleSeconds after which a session of the console ends without a refresh; null for one of the API
   */
  abstract open(
    tx: Tx,
    admission: Admission,
    device: Device,
    now: Date,
    consoleIdleSeconds: number | null,
  ): OpenSession;

  /**
   * Exchanges a refresh token for a new one of the same session.
   * @param consoleIdleSeconds as when the session was opened: the console and the API accept only tokens of their own
   * @throws DomainError `unauthorized` for a token that is unknown, belongs to a session that is not live or was opened
   * elsewhere, or was used before the grace period; in the last case the session ends. `rate_limited` for a token that is
   * used again too often
   */
  abstract refresh(token: string, consoleIdleSeconds: number | null): Promise<OpenSession>;

  /**
   * Returns one page of the caller's live sessions, newest first.
   * @throws DomainError `invalid_request` for a page that is too far
   */
  abstract list(principal: Principal, page: PageRequest): Promise<Session[]>;

  /**
   * Ends one of the caller's sessions (interface 4.1).
   * @throws DomainError `invalid_session`; `unauthorized` for another session than the current one, without a recent login
   */
  abstract end(principal: Principal, sessionId: string | null): Promise<void>;

  /** Ends the console session of a refresh token. Does nothing for any other token, or when the session has ended. */
  abstract endConsoleSession(token: string, device: Device): Promise<void>;

  /** Ends a batch of sessions that expired an hour ago, so that lists do not read them. @returns whether there may be more */
  abstract endExpired(now: Date): Promise<boolean>;

  /** Deletes a batch of sessions that expired long ago. @returns whether there may be more */
  abstract deleteExpired(now: Date): Promise<boolean>;
}
