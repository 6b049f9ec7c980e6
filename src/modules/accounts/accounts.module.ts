import { Module } from '@nestjs/common';
import { register } from '../../platform/register';
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
    register(ApprovalKinds, [ApprovedClosings], (approved) => approved),
    register(SearchSources, [Accounts], (accounts) => ({
      name: 'account',
      scope: 'transactions:read',
      find: async (caller, text) => {
        const account = await accounts.search(caller, text);
        return account === null
          ? []
          : [{ id: account.id, accountId: account.id, object: accountResponse(account) }];
      },
    })),
    register(SignInSubjects, [Accounts, AccountStore, AccountsRepository], (accounts, store, repository) => ({
      name: 'account',
      describe: (id) => repository.find(id),
      changeEmail: (tx, { subjectId }, email, now) =>
        store.update(tx, subjectId, async (account) => {
          account.assertNotSuspended();
          account.change({ email }, now);
        }),
      lock: (tx, id) => repository.lock(tx, id),
      revokeAccess: (tx, actor, id, now) => accounts.revokeAccess(tx, actor, id, now),
    })),
    register(LinkedAccounts, [AccountsRepository], (repository) => ({
      name: 'accounts',
      allowsLinking: async (tx, id) => {
        const account = await repository.lock(tx, id);
        return account !== null && account.status !== 'closed';
      },
      assertNotSuspended: async (tx, id) => (await repository.lock(tx, id))?.assertNotSuspended(),
    })),
  ],
  exports: [Accounts, AccountAccess, AccountStore, AccountClosing],
})
export class AccountsModule {}

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
