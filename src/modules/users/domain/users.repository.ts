import type { Page, PageRequest } from '../../../kernel/pages';
import type { Tx } from '../../../platform/database/database';
import type { Role } from '../../auth';
import type { User, UserStatus } from './user';

export interface UserFilter {
  /** Returns only users linked to this account. */
  readonly accountId?: string;
  readonly role?: Role;
  readonly status?: UserStatus;
  /** A substring of the name or the email, case-insensitive. */
  readonly search?: string;
}

export abstract class UsersRepository {
  abstract find(id: string): Promise<User | null>;
  /** @throws DomainError `invalid_request` for a search that would read too many users */
  abstract list(filter: UserFilter, page: PageRequest): Promise<Page<User>>;
  /** Finds users of an account, one user, or any. @returns at most `limit`, newest first */
  abstract findParts(
    part: string,
    within: { readonly accountId?: string; readonly id?: string },
    limit: number,
  ): Promise<User[]>;
  /** Reads all that match, newest first, a part at a time. A part may be empty. */
  abstract walk(filter: UserFilter): AsyncIterable<User[]>;
  abstract lock(tx: Tx, id: string): Promise<User | null>;
  /** Locks and returns all active admins, in the order of their ids. */
  abstract lockActiveAdmins(tx: Tx): Promise<User[]>;
  /** Locks and returns up to `limit` users linked to the account, newest first. */
  abstract lockNewestOfAccount(tx: Tx, accountId: string, limit: number): Promise<User[]>;
  /** Counts the users linked to the account, up to `max`. */
  abstract countOfAccount(tx: Tx, accountId: string, max: number): Promise<number>;
  abstract add(tx: Tx, user: User): void;
  abstract save(tx: Tx, user: User): void;
  abstract delete(tx: Tx, user: User): void;
}
