import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answer } from '../../../platform/database/idempotency';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { Caller, IdempotencyKey, Principal, Repeatable } from '../../auth';
import { Accounts } from '../application/accounts.service';
import {
  accountAnswer,
  AccountAnswer,
  accountsAnswer,
  AccountsAnswer,
  closedAccountAnswer,
  ClosedAccountAnswer,
  CreateAccountRequest,
  ListAccountsQuery,
  UpdateAccountRequest,
} from './accounts.dto';

/** Interface 4.3: sign-up, and the back office's view of any account. */
@ApiTags('Accounts')
@Controller('v1/accounts')
export class AccountsController {
  constructor(private readonly accounts: Accounts) {}

  @Post()
  @Operation({
    id: 'createAccount',
    summary: 'Create an account',
    access: 'optional',
    refusals: ['email_exists', 'unauthorized'],
    idempotent: true,
    description:
      'It signs in with its own email and password. A user of role `user` without an account becomes its owner at once.',
    answers: { status: 201, type: AccountAnswer, description: 'The new account.' },
  })
  create(
    @Caller() caller: Principal | null,
    @Body() body: CreateAccountRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    return this.accounts.create(caller, body, { ...request, render: accountAnswer });
  }

  @Get()
  @Operation({
    id: 'listAccounts',
    summary: 'List accounts',
    access: 'required',
    refusals: ['forbidden'],
    description: 'For admins and platform systems. Newest first.',
    answers: { status: 200, type: AccountsAnswer, description: 'One page.' },
  })
  async list(@Caller() caller: Principal, @Query() query: ListAccountsQuery): Promise<AccountsAnswer> {
    const { status, type, created_after: createdAfter, created_before: createdBefore } = query;
    const { items, total } = await this.accounts.list(
      caller,
      { status, type, createdAfter, createdBefore },
      query,
    );
    return accountsAnswer(items, total, query);
  }

  @Get(':account_id')
  @Operation({
    id: 'getAccount',
    summary: 'Retrieve any account',
    access: 'required',
    refusals: ['not_found', 'forbidden'],
    description: 'For admins and platform systems.',
    answers: { status: 200, type: AccountAnswer, description: 'The account.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('account_id', 'acc', 'The id of the account.') id: string,
  ): Promise<AccountAnswer> {
    return accountAnswer(await this.accounts.get(caller, id));
  }

  @Patch(':account_id')
  @Operation({
    id: 'updateAccount',
    summary: 'Update any account',
    access: 'required',
    refusals: ['not_found', 'forbidden', 'email_exists', 'conflict'],
    description: 'For admins. Suspending ends all sessions that act for the account.',
    answers: { status: 200, type: AccountAnswer, description: 'The account as it is now.' },
  })
  async update(
    @Caller() caller: Principal,
    @PathId('account_id', 'acc', 'The id of the account.') id: string,
    @Body() body: UpdateAccountRequest,
  ): Promise<AccountAnswer> {
    return accountAnswer(await this.accounts.updateAny(caller, id, body));
  }

  @Delete(':account_id')
  @Operation({
    id: 'closeAccount',
    summary: 'Close any account for good',
    access: 'required',
    refusals: ['not_found', 'forbidden', 'active_subscriptions', 'conflict'],
    description: 'For admins.',
    answers: { status: 200, type: ClosedAccountAnswer, description: 'It is closed.' },
  })
  async close(
    @Caller() caller: Principal,
    @PathId('account_id', 'acc', 'The id of the account.') id: string,
  ): Promise<ClosedAccountAnswer> {
    return closedAccountAnswer(await this.accounts.closeAny(caller, id));
  }
}
