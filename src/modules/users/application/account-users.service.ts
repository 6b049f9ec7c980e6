import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { Actor } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { Credentials, Principal } from '../../auth';
import { AccountUsers } from '../domain/account-users';
import { UsersRepository } from '../domain/users.repository';
import { UserRecords } from './user-records';

/** The users linked to one account. An account that has more from before keeps them. */
const MAX_LINKED_USERS = 1_000;

/** How many users are deleted or unlinked in one database transaction, in a fraction of a second. */
const BATCH = 200;

@Injectable()
export class AccountUsersService extends AccountUsers {
  constructor(
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
  ) {
    super();
  }

  async linkOwner(
    tx: Tx,
    userId: string,
    sessionId: string | null,
    accountId: string,
    now: Date,
  ): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    await this.credentials.lockForSession(tx, userId, now, sessionId);
    if (user === null || !(await this.credentials.link(tx, userId, accountId, 'owner'))) return;
    user.linkTo(accountId, now);
    this.repository.save(tx, user);
  }

  async assertFewerThanMax(tx: Tx, accountId: string): Promise<void> {
    if ((await this.repository.countOfAccount(tx, accountId, MAX_LINKED_USERS)) < MAX_LINKED_USERS) return;
    throw new DomainError(
      'conflict',
      `The account has ${MAX_LINKED_USERS} users, the most it can have. Delete one that is not used.`,
    );
  }

  async deletePart(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<boolean> {
    const users = await this.repository.lockNewestOfAccount(tx, accountId, BATCH + 1);
    if (users.length <= BATCH) return false;
    for (const user of users.slice(0, BATCH)) await this.records.delete(tx, caller, user, now);
    return true;
  }

  async deleteRest(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void> {
    for (const user of await this.repository.lockNewestOfAccount(tx, accountId, BATCH))
      await this.records.delete(tx, caller, user, now);
  }

  async removeSome(tx: Tx, actor: Actor, accountId: string, now: Date): Promise<boolean> {
    const users = await this.repository.lockNewestOfAccount(tx, accountId, BATCH);
    for (const user of users)
      if (!(await this.records.unlinkOwner(tx, actor, user, now)))
        await this.records.delete(tx, actor, user, now);
    return users.length < BATCH;
  }

  async unlinkOwner(tx: Tx, actor: Actor, userId: string, now: Date): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    if (user !== null) await this.records.unlinkOwner(tx, actor, user, now);
  }
}
