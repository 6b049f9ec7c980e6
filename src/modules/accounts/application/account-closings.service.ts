import { Inject, Injectable } from '@nestjs/common';
import { DomainError, Precondition } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { assertAdmin, Credentials, owns, Principal, RecentLogin } from '../../auth';
import { Approvals } from '../../back-office';
import { AccountUsers } from '../../users';
import { AccountsSettings, accountsSettings } from '../accounts.settings';
import { ReadonlyAccount } from '../domain/account';
import { AccountClosing } from '../domain/account-closing';
import { AccountStore } from '../domain/account-store';

/** Closes accounts (interface 3.2): cancels what is pending, deletes linked users and ends sessions. The journal stays. */
@Injectable()
export class AccountClosings {
  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
    private readonly credentials: Credentials,
    private readonly users: AccountUsers,
    private readonly closing: AccountClosing,
    private readonly recentLogin: RecentLogin,
    private readonly approvals: Approvals,
    private readonly audit: AuditTrail,
    @Inject(accountsSettings.token) private readonly settings: AccountsSettings,
  ) {}

  /**
   * @throws DomainError `forbidden` for callers other than the owner, and in production while the account is suspended;
   * `unauthorized` without a recent login; `active_subscriptions`
   */
  async closeOwn(caller: Principal): Promise<ReadonlyAccount> {
    const { accountId } = caller;
    if (accountId === null || !owns(caller, accountId))
      throw new DomainError('forbidden', 'Only the owner can close the account.');
    return this.close(caller, accountId, null, ({ status }) => {
      if (status === 'suspended' && !this.settings.ownersCloseSuspended)
        throw new DomainError(
          'forbidden',
          'The account is suspended, so only the operator can close it. Contact the operator.',
        );
    });
  }

  /**
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`,
   * `conflict`, also for an account with money in it where a second admin has to approve; `active_subscriptions`,
   * `precondition_failed`
   */
  async closeAny(
    caller: Principal,
    id: string,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<ReadonlyAccount> {
    assertAdmin(caller, 'Only an admin can close an account by its id.');
    return this.close(caller, id, reason, (account) => {
      precondition(account);
      if (account.posted > 0) this.approvals.assertNotRequired('close_account');
    });
  }

  /** @returns null when there was too much for one database transaction: run it again in another one */
  async closeOrCancelPart(
    tx: Tx,
    caller: Principal,
    id: string,
    reason: string | null,
    now: Date,
    assertAllowed?: (account: ReadonlyAccount) => void,
  ): Promise<ReadonlyAccount | null> {
    const closed = await this.accounts.update(tx, id, async (account) => {
      if (account.status !== 'closed') assertAllowed?.(account);
      const deletePart = () => this.users.deletePart(tx, caller, id, now);
      return (await this.closing.run(tx, account, now, deletePart)) ? account : null;
    });
    if (closed === null) return null;
    await this.users.deleteRest(tx, caller, id, now);
    await this.credentials.setDisabled(tx, id, true, now);
    this.credentials.endSessionsOfAccount(tx, id, now);
    this.audit.record(tx, caller, { action: 'account.close', objectId: id, accountId: id, reason });
    return closed;
  }

  private async close(
    caller: Principal,
    id: string,
    reason: string | null,
    assertAllowed?: (account: ReadonlyAccount) => void,
  ): Promise<ReadonlyAccount> {
    this.recentLogin.assert(caller);
    for (;;) {
      const account = await this.database.transaction((tx, now) =>
        this.closeOrCancelPart(tx, caller, id, reason, now, assertAllowed),
      );
      if (account !== null) return account;
    }
  }
}
