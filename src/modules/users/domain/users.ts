import type { Page, PageRequest } from '../../../kernel/pages';
import type { Precondition } from '../../../kernel/domain-error';
import type { IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import type { Device } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal, Role, SignUpClient, UserLogin } from '../../auth';
import type { User, UserChange } from './user';
import type { UserStatus } from './user.lifecycle';

/** Finds users on behalf of a caller. */
export abstract class Users {
  /** @throws DomainError `forbidden` unless the caller is of the back office, a platform system or an account owner */
  abstract list(caller: Principal, filter: UserFilter, page: PageRequest): Promise<Page<User>>;

  /** Reads all of the list, newest first, a part at a time. A part may be empty. @throws DomainError like `list` */
  abstract walk(caller: Principal, filter: UserFilter): AsyncIterable<User[]>;

  /** What whole users show besides their rows, by their ids. */
  abstract logins(users: readonly User[]): Promise<ReadonlyMap<string, UserLogin>>;

  /** Records that the back office reads another user. @throws DomainError `not_found` */
  abstract get(caller: Principal, id: string): Promise<User>;

  /** Returns the user with this id or email whom the caller may see, like `get`; null if there is none. */
  abstract search(caller: Principal, text: string): Promise<User | null>;

  /** Returns users whose name or email contains the text, and whom the caller may see, newest first. */
  abstract searchParts(caller: Principal, part: string, limit: number): Promise<User[]>;
}

export interface NewUser {
  readonly email: string;
  /** Null for one who is invited. */
  readonly password: string | null;
  readonly name?: string | null;
  /** Only admins may set the role, the status and the account. */
  readonly role?: Role;
  readonly status?: UserStatus;
  readonly account_id?: string;
}

export type InvitedUser = Omit<NewUser, 'password' | 'status'>;

export abstract class UserCreation {
  /**
   * Creates a user (interface 4.2). An account's owner creates members of that account, an admin may set the role, the
   * status and the account, and for any other caller this is an open sign-up.
   * @throws DomainError `invalid_request`, `email_exists`, `unauthorized`, `rate_limited`; `forbidden` for the owner of a
   * suspended account, of one that has just been closed, or of one whose email must be verified first; `conflict` for an
   * account with too many users, and for an admin where a second admin has to approve
   */
  abstract create(
    client: SignUpClient,
    request: NewUser,
    operation: IdempotentOperation<User>,
  ): Promise<StoredResponse>;

  /**
   * Creates a user without a password, and sends a link to set one.
   * @throws DomainError like `create`; `forbidden` unless the caller is an admin or an account's owner; `invalid_request`
   * when the service sends no email
   */
  abstract invite(
    caller: Principal,
    device: Device,
    request: InvitedUser,
    operation: IdempotentOperation<User>,
  ): Promise<StoredResponse>;
}

export abstract class UserChanges {
  /**
   * @param reason why, for the audit log
   * @throws DomainError `invalid_request`, `unauthorized`, `not_found`; `forbidden` when no active admin would remain,
   * for anything but a password while the account of the user is suspended, and for the password of another admin where
   * approvals are required; `conflict` for the role of an admin where a second admin has to approve;
   * `precondition_failed`
   */
  abstract update(
    caller: Principal,
    id: string,
    change: UserChange,
    precondition: Precondition,
    reason?: string | null,
  ): Promise<User>;

  /**
   * @throws DomainError `not_found` for admins; `forbidden` for other callers, whether the user exists or not, and while
   * the account of the user is suspended; `unauthorized` for an admin without a recent login; `precondition_failed`
   */
  abstract delete(caller: Principal, id: string, precondition: Precondition): Promise<void>;
}

/** The admin who is there from the start. */
export abstract class Admins {
  /**
   * Creates an admin unless a user with this email exists.
   * @returns whether it was created
   * @throws DomainError `invalid_request` for a weak password
   */
  abstract ensure(email: string, password: string): Promise<boolean>;
}

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
