import type { Actor } from '../../../platform/audit/audit-trail';
import type { Tx } from '../../../platform/database/tx';
import type { Principal } from '../../auth';

/** What the opening and the closing of an account change in its users. */
export abstract class AccountUsers {
  /**
   * Links a user, including live sessions, to an account as its owner. Has no effect when the user cannot be linked.
   * @throws DomainError `unauthorized` when the user's session has ended since the request began
   */
  abstract linkOwner(
    tx: Tx,
    userId: string,
    sessionId: string | null,
    accountId: string,
    now: Date,
  ): Promise<void>;

  /** @param accountId of an account that `tx` has locked @throws DomainError `conflict` when it has all users it may have */
  abstract assertFewerThanMax(tx: Tx, accountId: string): Promise<void>;

  /**
   * Deletes some of the users linked to an account that is about to be closed, if it has too many for one database
   * transaction. Its first user is the owner, who may have to repeat the request: the newest are deleted first.
   * @returns whether it has deleted some
   */
  abstract deletePart(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<boolean>;

  /** Deletes the users linked to an account that is being closed (interface 3.2): those that `deletePart` leaves. */
  abstract deleteRest(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void>;

  /**
   * Removes the users of an account whose email its owner has not verified: deletes the members and unlinks an owner, who
   * has signed up with an email of their own.
   * @returns whether none is left; otherwise run it again in another database transaction
   */
  abstract removeSome(tx: Tx, actor: Actor, accountId: string, now: Date): Promise<boolean>;

  /**
   * Unlinks a user whose email its owner has not verified from an account that the user created, which a stranger may have
   * done. A member stays: the owner of the account made them one.
   */
  abstract unlinkOwner(tx: Tx, actor: Actor, userId: string, now: Date): Promise<void>;
}
