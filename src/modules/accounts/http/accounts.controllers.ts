import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Precondition } from '../../../kernel/domain-error';
import { Device } from '../../../platform/audit/audit-trail';
import { IdempotentRequest } from '../../../platform/database/database';
import { pageOrCsv } from '../../../platform/http/csv-export';
import { IfMatch, VersionedOperation } from '../../../platform/http/entity-tag';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Caller, CallingDevice, IdempotencyKey, Principal } from '../../auth/http';
import { Accounts } from '../application/accounts.service';
import { CloseAccount } from '../application/close-account';
import { CreateAccount } from '../application/create-account';
import { UpdateAccount } from '../application/update-account';
import {
  AccountItemResponse,
  AccountResponse,
  accountResponse,
  accountsResponse,
  AccountsResponse,
  CloseAccountRequest,
  closedAccountResponse,
  ClosedAccountResponse,
  CreateAccountRequest,
  InviteAccountRequest,
  ListAccountsQuery,
  toAccountFilter,
  UpdateAccountRequest,
  UpdateOwnAccountRequest,
  viewedAccountResponse,
} from './accounts.dto';

const AccountId = () => IdParam('account_id', 'acc', 'The id of the account.');

/** The account of the token (interface 4.3). */
@ApiTags('Accounts')
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly accounts: Accounts,
    private readonly updateAccount: UpdateAccount,
    private readonly closeAccount: CloseAccount,
  ) {}

  @Get()
  @VersionedOperation({
    id: 'getOwnAccount',
    scope: 'account:read',
    summary: 'Retrieve the account of the token',
    response: { type: AccountResponse, description: 'The account.' },
  })
  async get(@Caller() caller: Principal) {
    return accountResponse(await this.accounts.own(caller));
  }

  @Patch()
  @VersionedOperation({
    id: 'updateOwnAccount',
    summary: 'Update the account of the token',
    errors: ['email_exists', 'not_found', 'conflict', 'precondition_failed'],
    description:
      'For the owner, unless the account is suspended. Members that are not sent stay unchanged, also within `settings`. The currency is fixed once the account is in use.',
    response: { type: AccountResponse, description: 'The updated account.' },
  })
  async update(
    @Caller() caller: Principal,
    @Body() body: UpdateOwnAccountRequest,
    @IfMatch() precondition: Precondition,
  ) {
    return accountResponse(await this.updateAccount.own(caller, body, precondition));
  }

  @Delete()
  @Operation({
    id: 'closeOwnAccount',
    summary: 'Close the account of the token permanently',
    errors: ['active_subscriptions', 'not_found', 'conflict'],
    description:
      'For the owner; in production not while the account is suspended (`forbidden`). Pending transactions and payment requests are canceled, linked users are deleted, and all sessions end. The journal stays on record.',
    response: { type: ClosedAccountResponse, description: 'The account is closed.' },
  })
  async close(@Caller() caller: Principal) {
    return closedAccountResponse(await this.closeAccount.own(caller));
  }
}

/** Sign-up, and all accounts for admins and platform systems (interface 4.3). */
@ApiTags('Accounts')
@Controller('v1/accounts')
export class AccountsController {
  constructor(
    private readonly accounts: Accounts,
    private readonly createAccount: CreateAccount,
    private readonly updateAccount: UpdateAccount,
    private readonly closeAccount: CloseAccount,
  ) {}

  @Post()
  @Operation({
    id: 'createAccount',
    summary: 'Create an account',
    access: 'optional',
    errors: ['email_exists'],
    idempotent: true,
    description:
      'The account signs in with its own email and password. A caller of role `user` without an account becomes the owner.',
    response: { type: AccountResponse, description: 'The new account.' },
  })
  create(
    @Caller() caller: Principal | null,
    @Body() body: CreateAccountRequest,
    @IdempotencyKey() request: IdempotentRequest,
    @CallingDevice() device: Device,
  ) {
    return this.createAccount.run({ caller, device }, body, { ...request, render: accountResponse });
  }

  @Get()
  @Operation({
    id: 'listAccounts',
    scope: 'transactions:read',
    summary: 'List accounts',
    description: 'For the back office and platform systems. Newest first.',
    response: { type: AccountsResponse, description: 'One page.' },
    alsoAs: ['text/csv'],
  })
  async list(@Caller() caller: Principal, @Query() query: ListAccountsQuery) {
    const filter = toAccountFilter(query);
    return pageOrCsv(query, {
      itemType: AccountItemResponse,
      page: async () => accountsResponse(await this.accounts.list(caller, filter, query), query, query.view),
      walk: () => this.accounts.walk(caller, filter),
      render: (accounts) => accounts.map(viewedAccountResponse),
    });
  }

  @Get(':account_id')
  @VersionedOperation({
    id: 'getAccount',
    scope: 'transactions:read',
    summary: 'Retrieve any account',
    errors: ['not_found'],
    description: 'For the back office and platform systems.',
    response: { type: AccountResponse, description: 'The account.' },
  })
  async get(@Caller() caller: Principal, @AccountId() id: string) {
    return accountResponse(await this.accounts.get(caller, id));
  }

  @Patch(':account_id')
  @VersionedOperation({
    id: 'updateAccount',
    summary: 'Update any account',
    errors: ['not_found', 'email_exists', 'conflict', 'precondition_failed'],
    description:
      'For admins. Suspending an account ends all of its sessions. The status that it has already changes nothing; send `If-Match` to be told of the changes of others.',
    response: { type: AccountResponse, description: 'The updated account.' },
  })
  async update(
    @Caller() caller: Principal,
    @AccountId() id: string,
    @Body() { reason, ...change }: UpdateAccountRequest,
    @IfMatch() precondition: Precondition,
  ) {
    return accountResponse(await this.updateAccount.byId(caller, id, change, precondition, reason));
  }

  @Delete(':account_id')
  @Operation({
    id: 'closeAccount',
    summary: 'Close any account permanently',
    errors: ['not_found', 'active_subscriptions', 'conflict', 'precondition_failed'],
    optionalBody: CloseAccountRequest,
    description:
      'For admins. Where a second admin has to approve, an account with money in it cannot be closed so (`conflict`): see `POST /v1/approvals`.',
    response: { type: ClosedAccountResponse, description: 'The account is closed.' },
  })
  async close(
    @Caller() caller: Principal,
    @AccountId() id: string,
    @Body() { reason }: CloseAccountRequest,
    @IfMatch() precondition: Precondition,
  ) {
    return closedAccountResponse(await this.closeAccount.byId(caller, id, precondition, reason));
  }
}

/** Accounts whose owners set their first password by a link in an email. */
@ApiTags('Accounts')
@Controller('v1/account-invitations')
export class AccountInvitationsController {
  constructor(private readonly createAccount: CreateAccount) {}

  @Post()
  @Operation({
    id: 'inviteAccount',
    summary: 'Invite an account',
    errors: ['email_exists'],
    idempotent: true,
    description:
      'For admins and platform systems. Creates an account without a password, and sends a link to set one, which works once, for seven days; later, `POST /v1/auth/password-reset` sends another. Without a mail server the response is `invalid_request`.',
    response: { type: AccountResponse, description: 'The new account. The email is on its way.' },
  })
  invite(
    @Caller() caller: Principal,
    @Body() body: InviteAccountRequest,
    @IdempotencyKey() request: IdempotentRequest,
    @CallingDevice() device: Device,
  ) {
    return this.createAccount.invite(caller, device, body, { ...request, render: accountResponse });
  }
}
