import { DomainError } from '../../../kernel/domain-error';
import type { PageRequest } from '../../../kernel/pages';
import type { Tx } from '../../../platform/database/database';
import type { MembershipRole, Principal, Role } from './principal';
import type { RefreshToken, Session } from './session';

/** Selects sessions: those opened by a user, those opened with an account's own password, or all for an account. */
export type SessionFilter =
  { readonly userId: string } | { readonly openedAccountId: string } | { readonly accountId: string };

/** How many live sessions come before a page at most: those of earlier pages are read too. */
export const MAX_EARLIER_SESSIONS = 10_000;

/** @throws DomainError `invalid_request` for a page that begins after more sessions */
export function assertNotTooDeep({ page, limit }: PageRequest): void {
  if ((page - 1) * limit >= MAX_EARLIER_SESSIONS)
    throw new DomainError(
      'invalid_request',
      `Pages show the newest ${MAX_EARLIER_SESSIONS} sessions. Send a lower page.`,
    );
}

export abstract class SessionsRepository {
  abstract find(id: string): Promise<Session | null>;
  abstract lock(tx: Tx, id: string): Promise<Session | null>;
  /** Returns one page of the live sessions of the principal's user and account, newest first. */
  abstract findLive(principal: Principal, now: Date, page: PageRequest): Promise<Session[]>;
  /** Returns one page of the matching live sessions, newest first. */
  abstract findLiveOf(filter: SessionFilter, now: Date, page: PageRequest): Promise<Session[]>;
  /** Reads all matching live sessions, newest first, a part at a time. */
  abstract walkLiveOf(filter: SessionFilter, now: Date): AsyncIterable<readonly Session[]>;
  /**
   * Returns those of the users and accounts that have opened a session from the network, as far as it is stored.
   * @param tx a transaction to read in; by default none
   */
  abstract findOpenedFrom(network: string, subjectIds: readonly string[], tx?: Tx): Promise<string[]>;
  abstract add(tx: Tx, session: Session): void;
  abstract save(tx: Tx, session: Session): void;
  /** Ends all matching sessions except one. */
  abstract end(tx: Tx, filter: SessionFilter, now: Date, exceptSessionId: string | null): void;
  /** Records that the password or the second factor was confirmed in the session. */
  abstract setAuthenticatedAt(tx: Tx, id: string, now: Date): void;
  /**
   * Ends sessions of the same user and the same account, beyond `max` including the given one: first expired ones, then
   * the oldest live ones.
   */
  abstract endOldest(tx: Tx, newest: Session, max: number, now: Date): void;
  /** Sets the role of the user's live sessions. */
  abstract setRole(tx: Tx, userId: string, role: Role): void;
  /** Links the user's live sessions to the account. */
  abstract link(
    tx: Tx,
    userId: string,
    accountId: string,
    membershipRole: MembershipRole,
    apiVersion: string | null,
  ): void;
  /** Pins the account's live sessions to a version of the API. */
  abstract pin(tx: Tx, accountId: string, apiVersion: string): void;
  abstract findRefreshToken(hash: string): Promise<RefreshToken | null>;
  abstract lockRefreshToken(tx: Tx, hash: string): Promise<RefreshToken | null>;
  /** Counts the session's unused refresh tokens that were issued after the given time. */
  abstract countUnusedRefreshTokens(tx: Tx, sessionId: string, issuedAfter: Date): Promise<number>;
  abstract addRefreshToken(tx: Tx, token: RefreshToken): void;
  abstract saveRefreshToken(tx: Tx, token: RefreshToken): void;
  /** Ends up to `limit` sessions that expired by the given time, at the time of their expiry. @returns the count */
  abstract endExpired(until: Date, limit: number): Promise<number>;
  /** Deletes up to `limit` sessions that expired before the given time, with their refresh tokens. @returns the count */
  abstract deleteExpired(before: Date, limit: number): Promise<number>;
}
