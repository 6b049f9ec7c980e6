import type { Tx } from '../../../platform/database/tx';
import type { Principal, Role } from '../../auth';
import type { User } from './user';
import type { UserChange } from './user-change';

/**
 * Who is an admin: the first one is there from the start, one of them stays active, and where approvals are required, none
 * of them alone makes another one or takes another one's place.
 */
export abstract class Admins {
  /**
   * Creates an admin unless a user with this email exists.
   * @returns whether it was created
   * @throws DomainError `invalid_request` for a weak password
   */
  abstract ensure(email: string, password: string): Promise<boolean>;

  /** @throws DomainError `conflict` for the role of an admin where a second admin has to approve */
  abstract assertMayCreate(role: Role): void;

  /**
   * @throws DomainError `forbidden` for the password of another admin, and `conflict` for making an admin, where approvals
   * are required
   */
  abstract assertMayChange(caller: Principal, user: User, change: UserChange): void;

  /**
   * Locks a user, who may be an admin.
   * @returns null if there is no such user any more
   */
  abstract lock(tx: Tx, user: User): Promise<User | null>;

  /**
   * Runs the change of a locked user.
   * @param change returns whether the user is an active admin after it
   * @throws DomainError `forbidden` when no active admin would remain
   */
  abstract keepOne(tx: Tx, user: User, change: () => boolean): Promise<void>;
}
