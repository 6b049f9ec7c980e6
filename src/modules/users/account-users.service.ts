import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { Actor } from '../../platform/audit/audit-trail';
import { Tx } from '../../platform/database/database';
import { Credentials, isOperator, Principal, VerifiedEmails } from '../auth';
import { LinkedAccounts } from './linked-accounts';
import { UsersRepository } from './users.repository';
import { UserRecords } from './user-records.service';

/** The users linked to one account. An account that has more from before keeps them. */
const MAX_LINKED_USERS = 1_000;

/** How many users are deleted or unlinked in one database transaction, in a fraction of a second. */
const BATCH = 200;

/** What the opening and the closing of an account change in its users. */
@Injectable()
export class AccountUsers {
  constructor(
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
    private readonly linkedAccounts: LinkedAccounts,
    private readonly verifiedEmails: VerifiedEmails,
  ) {}

  /**
   * Locks the account that a new user is to be linked to.
   * @param isOwn whether it is the account of the caller, not one that the request names
   * @throws DomainError `invalid_request` for an account that cannot have users; `forbidden` for the caller's own one, if it
   * is closed or suspended, or its email must be verified first; `conflict` when it has all users it may have
   */
  async assertMayAdd(
    tx: Tx,
    caller: Principal | null,
    accountId: string,
    isOwn: boolean,
    now: Date,
  ): Promise<void> {
    await this.linkedAccounts.assertLinkable(tx, accountId, isOwn);
    if (caller !== null && !isOperator(caller)) {
      await this.linkedAccounts.assertNotSuspended(tx, accountId);
      await this.verifiedEmails.assertMayGrantAccess(tx, caller, accountId, now);
    }
    if ((await this.repository.countOfAccount(tx, accountId, MAX_LINKED_USERS)) < MAX_LINKED_USERS) return;
    throw new DomainError(
      'conflict',
      `The account has ${MAX_LINKED_USERS} users, the most it can have. Delete one that is not used.`,
    );
  }

  /**
   * Links a user, including live sessions, to an account as its owner. Has no effect when the user cannot be linked.
   * @param apiVersion to which the account is pinned
   * @throws DomainError `unauthorized` when the user's session has ended since the request began
   */
  async linkOwner(
    tx: Tx,
    userId: string,
    sessionId: string | null,
    accountId: string,
    apiVersion: string | null,
    now: Date,
  ): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    await this.credentials.lockForSession(tx, userId, now, sessionId);
    if (user === null || !(await this.credentials.link(tx, userId, accountId, 'owner', apiVersion))) return;
    user.linkTo(accountId, now);
    this.repository.save(tx, user);
  }

  /**
   * Deletes some of the users linked to an account that is about to be closed, if it has too many for one database
   * transaction. Its first user is the owner, who may have to repeat the request: the newest are deleted first.
   * @returns whether it has deleted some
   */
  async deletePart(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<boolean> {
    const users = await this.repository.lockNewestOfAccount(tx, accountId, BATCH + 1);
    if (users.length <= BATCH) return false;
    for (const user of users.slice(0, BATCH)) await this.records.delete(tx, caller, user, now);
    return true;
  }

  /** Deletes the users linked to an account that is being closed (interface 3.2): those that `deletePart` leaves. */
  async deleteRest(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void> {
    for (const user of await this.repository.lockNewestOfAccount(tx, accountId, BATCH))
      await this.records.delete(tx, caller, user, now);
  }

  /**
   * Removes the users of an account whose email its owner has not verified: deletes the members and unlinks an owner, who
   * has signed up with their own email.
   * @returns whether none is left; otherwise run it again in another database transaction
   */
  async removeSome(tx: Tx, actor: Actor, accountId: string, now: Date): Promise<boolean> {
    const users = await this.repository.lockNewestOfAccount(tx, accountId, BATCH);
    for (const user of users)
      if (!(await this.records.unlinkOwner(tx, actor, user, now)))
        await this.records.delete(tx, actor, user, now);
    return users.length < BATCH;
  }

  /**
   * Unlinks a user whose email its owner has not verified from an account that the user created, which a stranger may have
   * done. A member stays: the owner of the account made them one.
   */
  async unlinkOwner(tx: Tx, actor: Actor, userId: string, now: Date): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    if (user !== null) await this.records.unlinkOwner(tx, actor, user, now);
  }
}
