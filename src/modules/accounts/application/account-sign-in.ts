import { Injectable } from '@nestjs/common';
import { Actor } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/database';
import { Credentials, SignInSubject } from '../../auth';
import { AccountUsers } from '../../users';
import { Account } from '../domain/account';
import { AccountAccess } from '../domain/account-hooks';
import { AccountsRepository } from '../domain/accounts.repository';
import { AccountStore } from './account-store.service';

/** The accounts among what signs in with an email and a password. */
@Injectable()
export class AccountSignIn {
  readonly name = 'account';

  constructor(
    private readonly repository: AccountsRepository,
    private readonly accounts: AccountStore,
    private readonly access: AccountAccess,
    private readonly credentials: Credentials,
    private readonly users: AccountUsers,
  ) {}

  describe(id: string): Promise<Readonly<Account> | null> {
    return this.repository.find(id);
  }

  async assertNotSuspended(tx: Tx, { subjectId }: SignInSubject): Promise<void> {
    (await this.repository.lock(tx, subjectId))?.assertNotSuspended();
  }

  changeEmail(tx: Tx, { subjectId }: SignInSubject, email: string, now: Date): Promise<string> {
    return this.accounts.update(tx, subjectId, async (account) => {
      const { email: former } = account;
      account.change({ email }, now);
      return former;
    });
  }

  lock(tx: Tx, id: string): Promise<Account | null> {
    return this.repository.lock(tx, id);
  }

  /**
   * Removes what gives access to an account that a stranger may have opened: API keys, webhook endpoints, users and
   * sessions.
   * @returns false when there were too many users for one database transaction: call it again in another one
   */
  revokeAccess(tx: Tx, actor: Actor, id: string, now: Date): Promise<boolean> {
    return this.accounts.update(tx, id, async (account) => {
      await this.access.revokeAll(tx, actor, account, now);
      this.credentials.endSessionsOfAccount(tx, id, now);
      return this.users.removeSome(tx, actor, id, now);
    });
  }
}
