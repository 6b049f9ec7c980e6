import { Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { Credentials, Principal } from '../../auth';
import { UsersRepository } from '../domain/users.repository';
import { UserRecords } from './user-records';

/** What the opening and the closing of an account change in its users. */
@Injectable()
export class AccountUsers {
  constructor(
    private readonly repository: UsersRepository,
    private readonly records: UserRecords,
    private readonly credentials: Credentials,
  ) {}

  /** Links a user, including live sessions, to an account as its owner. Has no effect when the user cannot be linked. */
  async linkOwner(tx: Tx, userId: string, accountId: string, now: Date): Promise<void> {
    const user = await this.repository.lock(tx, userId);
    if (user === null || !(await this.credentials.link(tx, userId, accountId, 'owner'))) return;
    user.linkTo(accountId, now);
    this.records.save(tx, user);
  }

  /** Deletes all users linked to an account that is being closed (interface 3.2). */
  async deleteAll(tx: Tx, caller: Principal, accountId: string, now: Date): Promise<void> {
    for (const user of await this.repository.lockOfAccount(tx, accountId))
      await this.records.delete(tx, caller, user, now);
  }
}
