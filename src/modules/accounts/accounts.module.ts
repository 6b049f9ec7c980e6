import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { SignInSubjects } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { ApprovalKinds, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { LinkedAccounts } from '../users';
import { UsersModule } from '../users/users.module';
import { accountsSettings } from './accounts.settings';
import { AccountClosings } from './application/account-closings.service';
import { AccountStoreService } from './application/account-store.service';
import { AccountsService } from './application/accounts.service';
import { ApprovedClosings } from './application/approved-closings';
import { AccountAccess } from './domain/account-access';
import { AccountClosing } from './domain/account-closing';
import { AccountStore } from './domain/account-store';
import { Accounts } from './domain/accounts';
import { AccountsRepository } from './domain/accounts.repository';
import { AccountController } from './http/account.controller';
import { AccountsController } from './http/accounts.controller';
import { accountResponse, AccountResponse } from './http/accounts.dto';
import { accountSchema } from './infrastructure/account.schema';
import { SqlAccountsRepository } from './infrastructure/sql-accounts.repository';

/** Accounts of individuals and businesses. Every movement of money locks the account's row. */
@Module({
  imports: [AuthModule, ApprovalsModule, SearchModule, UsersModule],
  controllers: [AccountController, AccountsController],
  providers: [
    { provide: Accounts, useClass: AccountsService },
    AccountClosings,
    AccountAccess,
    AccountClosing,
    ApprovedClosings,
    { provide: AccountsRepository, useClass: SqlAccountsRepository },
    { provide: AccountStore, useClass: AccountStoreService },
  ],
  exports: [Accounts, AccountAccess, AccountStore, AccountClosing],
})
export class AccountsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly subjects: SignInSubjects,
    private readonly linkedAccounts: LinkedAccounts,
    private readonly repository: AccountsRepository,
    private readonly store: AccountStore,
    private readonly access: AccountAccess,
    private readonly closing: AccountClosing,
    private readonly accounts: Accounts,
    private readonly search: SearchSources,
    private readonly approvalKinds: ApprovalKinds,
    private readonly approvedClosings: ApprovedClosings,
  ) {}

  onModuleInit(): void {
    this.approvalKinds.register(this.approvedClosings);
    this.search.register({
      name: 'account',
      scope: 'transactions:read',
      find: async (caller, text) => {
        const account = await this.accounts.search(caller, text);
        return account === null
          ? []
          : [{ id: account.id, accountId: account.id, object: accountResponse(account) }];
      },
    });
    this.subjects.register({
      name: 'account',
      describe: (id) => this.repository.find(id),
      changeEmail: (tx, { subjectId }, email, now) =>
        this.store.update(tx, subjectId, async (account) => {
          account.assertNotSuspended();
          account.change({ email }, now);
        }),
      lock: (tx, id) => this.repository.lock(tx, id),
      revokeAccess: (tx, actor, id, now) => this.accounts.revokeAccess(tx, actor, id, now),
    });
    this.linkedAccounts.register({
      name: 'accounts',
      allowsLinking: async (tx, id) => {
        const account = await this.repository.lock(tx, id);
        return account !== null && account.status !== 'closed';
      },
      assertNotSuspended: async (tx, id) => (await this.repository.lock(tx, id))?.assertNotSuspended(),
    });
  }

  onApplicationBootstrap(): void {
    this.access.freeze();
    this.closing.freeze();
  }
}

export const accounts: ServiceModule = {
  module: AccountsModule,
  entities: [accountSchema],
  settings: [accountsSettings],
  idPrefixes: ['acc'],
  tags: [
    {
      name: 'Accounts',
      description: 'Individuals and businesses that hold money: sign-up, settings, balance and closing.',
    },
  ],
  events: [
    {
      resource: 'account',
      scope: 'transactions:read',
      actions: {
        created: 'An account was created.',
        updated: 'The name, the email or the settings of an account were changed.',
        activated: 'An account became active again.',
        suspended: 'An account was suspended.',
        made_pending: 'The status of an account became `pending`.',
        closed: 'An account was closed.',
      },
      response: AccountResponse,
      render: accountResponse,
    },
  ],
};
