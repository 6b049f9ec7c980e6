import { Module } from '@nestjs/common';
import { isId } from '../../kernel/ids';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { ApiKeyCheck, CredentialListeners, SignInSubjects } from '../auth';
import { AuthModule } from '../auth/auth.module';
import { ApprovalKinds, SearchHit, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { LinkedAccounts } from '../users';
import { UsersModule } from '../users/users.module';
import { accountsSettings } from './accounts.settings';
import { ApiKeyListeners } from './api-keys/api-key';
import { ApiKeysController } from './api-keys/api-keys.controller';
import { ApiKeyResponse, apiKeyResponse } from './api-keys/api-keys.dto';
import { apiKeySchema, ApiKeysRepository } from './api-keys/api-keys.repository';
import { CreateApiKey, LiveApiKeys, RevokeApiKeys } from './api-keys/api-keys.service';
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
import {
  AccountNotesController,
  noteResponse,
  NoteResponse,
  UserNotesController,
} from './notes/notes.controllers';
import { noteSchema, NotesRepository } from './notes/notes.repository';
import { Notes } from './notes/notes.service';
import { RequestLogController } from './request-log/request-log.controller';
import { RequestLogHook } from './request-log/request-log.hooks';
import { loggedRequestSchema, RequestLogRepository } from './request-log/request-log.repository';
import { RequestLog } from './request-log/request-log.service';

/**
 * Accounts of individuals and businesses, every movement of whose money locks the account's row; the keys with which their
 * programs call the API; the log of their requests; and the notes of the back office about accounts and users.
 */
@Module({
  imports: [AuthModule, ApprovalsModule, SearchModule, UsersModule],
  controllers: [
    AccountController,
    AccountsController,
    AccountInvitationsController,
    ApiKeysController,
    AccountNotesController,
    UserNotesController,
    RequestLogController,
  ],
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

    LiveApiKeys,
    CreateApiKey,
    RevokeApiKeys,
    ApiKeyListeners,
    ApiKeysRepository,
    register(ApiKeyCheck, [LiveApiKeys], (keys) => keys),
    register(SearchSources, [LiveApiKeys], (keys) => ({
      name: 'api_key',
      scope: null,
      response: ApiKeyResponse,
      find: async (caller, text) => {
        const key = await keys.find(caller, text);
        return key === null ? [] : [{ id: key.id, accountId: key.accountId, object: apiKeyResponse(key) }];
      },
    })),
    register(AccountAccess, [RevokeApiKeys], (revoke) => ({
      name: 'api-keys',
      revokeAll: (tx, actor, account, now) => revoke.inTakeOver(tx, actor, account, now),
    })),
    register(ClosingHooks, [RevokeApiKeys], (revoke) => ({
      name: 'api-keys',
      cancelPending: (tx, account, now) => revoke.inClosing(tx, account, now),
    })),

    Notes,
    NotesRepository,
    register(SearchSources, [Notes], (notes) => ({
      name: 'note',
      scope: null,
      response: NoteResponse,
      find: async (caller, text) => {
        const note = await notes.search(caller, text);
        if (note === null) return [];
        const { id, objectId } = note;
        return [{ id, accountId: isId('acc', objectId) ? objectId : null, object: noteResponse(note) }];
      },
    })),
    register(CredentialListeners, [NotesRepository], (repository) => ({
      name: 'notes',
      deleted: (tx, { subjectId }) => repository.deleteAllOf(tx, subjectId),
    })),

    RequestLog,
    RequestLogHook,
    RequestLogRepository,
    register(PeriodicTasks, [RequestLog], ({ expiry }) => expiry),
  ],
  exports: [Accounts, AccountAccess, AccountReader, AccountStore, ApiKeyListeners, ClosingHooks],
})
export class AccountsModule {}

function foundAccount(account: Readonly<Account>): SearchHit {
  return { id: account.id, accountId: account.id, object: accountResponse(account) };
}

export const accounts: ServiceModule = {
  module: AccountsModule,
  entities: [accountSchema, apiKeySchema, noteSchema, loggedRequestSchema],
  settings: [accountsSettings],
  idPrefixes: ['acc', 'key', 'note', 'req'],
  tags: [
    {
      name: 'Accounts',
      description: 'Individuals and businesses that hold money: sign-up, settings, balance and closing.',
    },
    { name: 'API keys', description: 'Keys with which programs call the API.' },
    { name: 'Notes', description: 'Remarks of the back office about accounts and users.' },
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
    {
      resource: 'api_key',
      actions: {
        created: 'An API key was created.',
        revoked: 'An API key was revoked, also by the closing of its account.',
      },
      hiddenFromPlatforms: true,
      examples: { created: { last_used_at: null } },
      response: ApiKeyResponse,
      render: apiKeyResponse,
    },
  ],
};
