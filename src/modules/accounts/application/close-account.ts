import { Inject, Injectable } from '@nestjs/common';
import { DomainError, Precondition } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import { assertAdmin, Credentials, owns, Principal, RecentLogin } from '../../auth';
import { Approval, ApprovalKind, Approvals } from '../../back-office';
import { AccountUsers } from '../../users';
import { AccountsSettings, accountsSettings } from '../accounts.settings';
import { LockedAccount } from '../domain/account';
import { AccountsRepository } from '../domain/accounts.repository';
import { ClosingHooks } from '../domain/account-hooks';
import { AccountStore, noSuchAccount } from './account-store.service';

type Check = (account: LockedAccount) => void;

/** One database transaction of a closing: the last one, or one that cancels a part of what is pending. */
@Injectable()
export class ClosingTransaction {
  constructor(
    private readonly accounts: AccountStore,
    private readonly hooks: ClosingHooks,
    private readonly users: AccountUsers,
    private readonly credentials: Credentials,
    private readonly audit: AuditTrail,
  ) {}

  /** @returns null when there was too much for one database transaction: run it again in another one */
  async run(
    tx: Tx,
    caller: Principal,
    id: string,
    reason: string | null,
    now: Date,
    assertAllowed?: Check,
  ): Promise<LockedAccount | null> {
    // All locks in the order of ids: two closings, or one and a transfer, never wait for each other.
    const ids = [id, ...(await this.hooks.partners(tx, id))];
    const closed = await this.accounts.updateAll(tx, ids, async (accounts) => {
      const account = accounts.get(id)!;
      if (account.status !== 'closed') assertAllowed?.(account);
      const deletePart = () => this.users.deletePart(tx, caller, id, now);
      return (await this.hooks.run(tx, account, now, deletePart, accounts)) ? account : null;
    });
    if (closed === null) return null;
    await this.users.deleteRest(tx, caller, id, now);
    await this.credentials.setDisabled(tx, id, true, now);
    this.credentials.endSessionsOfAccount(tx, id, now);
    this.audit.record(tx, caller, { action: 'account.close', objectId: id, accountId: id, reason });
    return closed;
  }
}

/** Closes accounts (interface 3.2): cancels what is pending, deletes linked users and ends sessions. The journal stays. */
@Injectable()
export class CloseAccount {
  constructor(
    private readonly database: Database,
    private readonly closing: ClosingTransaction,
    private readonly recentLogin: RecentLogin,
    private readonly approvals: Approvals,
    @Inject(accountsSettings.token) private readonly settings: AccountsSettings,
  ) {}

  /**
   * @throws DomainError `forbidden` for callers other than the owner, and in production while the account is suspended;
   * `unauthorized` without a recent login; `active_subscriptions`
   */
  async own(caller: Principal): Promise<LockedAccount> {
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
  async byId(
    caller: Principal,
    id: string,
    precondition: Precondition,
    reason: string | null = null,
  ): Promise<LockedAccount> {
    assertAdmin(caller, 'Only an admin can close an account by its id.');
    return this.close(caller, id, reason, (account) => {
      precondition(account);
      if (account.posted > 0) this.approvals.assertNotRequired('close_account');
    });
  }

  private async close(
    caller: Principal,
    id: string,
    reason: string | null,
    assertAllowed: Check,
  ): Promise<LockedAccount> {
    this.recentLogin.assert(caller);
    for (;;) {
      const closed = await this.database.transaction((tx, now) =>
        this.closing.run(tx, caller, id, reason, now, assertAllowed),
      );
      if (closed !== null) return closed;
    }
  }
}

/** Closes an account once a second admin has approved it. */
@Injectable()
export class CloseAccountApproval implements ApprovalKind {
  readonly name = 'close_account';

  constructor(
    private readonly repository: AccountsRepository,
    private readonly closing: ClosingTransaction,
  ) {}

  /** @throws DomainError `not_found`; `conflict` for an account that is closed already */
  async prepare(tx: Tx, id: string) {
    const account = await this.repository.lock(tx, id);
    if (account === null) throw noSuchAccount();
    if (account.status === 'closed') throw new DomainError('conflict', 'The account is closed already.');
    return { accountId: id, details: {} };
  }

  async execute(tx: Tx, { objectId, reason }: Readonly<Approval>, approver: Principal, now: Date) {
    return (await this.closing.run(tx, approver, objectId, reason, now)) !== null;
  }
}
