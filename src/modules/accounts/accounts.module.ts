import { Module } from '@nestjs/common';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { SignInSubjects } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { ApprovalKinds, SearchHit, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { LinkedAccounts } from '../users';
import { UsersModule } from '../users/users.module';
import { accountsSettings } from './accounts.settings';
import { AccountSignIn } from './application/account-sign-in';
import { AccountStore } from './application/account-store.service';
import { Accounts } from './application/accounts.service';
import { CloseAccount, CloseAccountApproval, ClosingTransaction } from './application/close-account';
import { CreateAccount } from './application/create-account';
import { UpdateAccount } from './application/update-account';
import { Account } from './domain/account';
import { AccountAccess, ClosingHooks } from './domain/account-hooks';
import { AccountReader, AccountsRepository } from './domain/accounts.repository';
import {
  AccountController,
  AccountInvitationsController,
  AccountsController,
} from './http/accounts.controllers';
import { accountResponse, AccountResponse } from './http/accounts.dto';
import { accountSchema, SqlAccountsRepository } from './infrastructure/sql-accounts.repository';

/** Accounts of individuals and businesses. Every movement of money locks the account's row. */
@Module({
  imports: [AuthModule, ApprovalsModule, SearchModule, UsersModule],
  controllers: [AccountController, AccountsController, AccountInvitationsController],
  providers: [
    Accounts,
    AccountStore,
    CreateAccount,
    UpdateAccount,
    CloseAccount,
    ClosingTransaction,
    CloseAccountApproval,
    AccountSignIn,
    AccountAccess,
    ClosingHooks,
    { provide: AccountsRepository, useClass: SqlAccountsRepository },
    { provide: AccountReader, useExisting: AccountsRepository },
    register(ApprovalKinds, [CloseAccountApproval], (approval) => approval),
    register(SignInSubjects, [AccountSignIn], (accounts) => accounts),
    register(SearchSources, [Accounts], (accounts) => ({
      name: 'account',
      scope: 'transactions:read',
      response: AccountResponse,
      find: async (caller, text) => {
        const account = await accounts.search(caller, text);
        return account === null ? [] : [foundAccount(account)];
      },
      findParts: async (caller, part, limit) =>
        (await accounts.searchParts(caller, part, limit)).map(foundAccount),
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
  exports: [Accounts, AccountAccess, AccountReader, AccountStore, ClosingHooks],
})
export class AccountsModule {}

function foundAccount(account: Readonly<Account>): SearchHit {
  return { id: account.id, accountId: account.id, object: accountResponse(account) };
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
      examples: { made_pending: { status: 'pending' } },
      response: AccountResponse,
      render: accountResponse,
    },
  ],
};
