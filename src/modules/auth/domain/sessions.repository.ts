import { Tx } from '../../../platform/database/tx';
import { Principal, Role, Standing } from './principal';
import { RefreshToken } from './refresh-token';
import { Session } from './session';

/** Which sessions: those a user's password opened, those an account's own opened, or all that act for an account. */
export type SessionsOf =
  { readonly userId: string } | { readonly openedAccountId: string } | { readonly accountId: string };

export abstract class SessionsRepository {
  abstract find(id: string): Promise<Session | null>;
  abstract lock(tx: Tx, id: string): Promise<Session | null>;
  abstract live(principal: Principal, now: Date): Promise<Session[]>;
  abstract add(tx: Tx, session: Session): void;
  abstract save(tx: Tx, session: Session): void;
  abstract end(tx: Tx, of: SessionsOf, now: Date, exceptSessionId: string | null): void;
  abstract setRole(tx: Tx, userId: string, role: Role): void;
  abstract tie(tx: Tx, userId: string, accountId: string, standing: Standing): void;
  abstract findRefreshToken(hash: string): Promise<RefreshToken | null>;
  abstract lockRefreshToken(tx: Tx, hash: string): Promise<RefreshToken | null>;
  abstract addRefreshToken(tx: Tx, token: RefreshToken): void;
  abstract saveRefreshToken(tx: Tx, token: RefreshToken): void;
  /** Deletes sessions that expired before a moment, with their refresh tokens. @returns how many */
  abstract deleteExpired(before: Date, limit: number): Promise<number>;
}
