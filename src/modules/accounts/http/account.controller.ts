import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../../platform/http/operation';
import { Caller, Principal } from '../../auth';
import { Accounts } from '../application/accounts.service';
import {
  accountAnswer,
  AccountAnswer,
  closedAccountAnswer,
  ClosedAccountAnswer,
  UpdateOwnAccountRequest,
} from './accounts.dto';

/** Interface 4.3: the account that the token acts for. */
@ApiTags('Accounts')
@Controller('v1/account')
export class AccountController {
  constructor(private readonly accounts: Accounts) {}

  @Get()
  @Operation({
    id: 'getOwnAccount',
    summary: 'Retrieve the account of the token',
    access: 'required',
    refusals: ['forbidden'],
    answers: { status: 200, type: AccountAnswer, description: 'The account.' },
  })
  async get(@Caller() caller: Principal): Promise<AccountAnswer> {
    return accountAnswer(await this.accounts.own(caller));
  }

  @Patch()
  @Operation({
    id: 'updateOwnAccount',
    summary: 'Update the account of the token',
    access: 'required',
    refusals: ['email_exists', 'not_found', 'conflict'],
    description:
      'For its owner. Only the members sent change; members of `settings` likewise. The currency is fixed once the account has business in it.',
    answers: { status: 200, type: AccountAnswer, description: 'The account as it is now.' },
  })
  async update(@Caller() caller: Principal, @Body() body: UpdateOwnAccountRequest): Promise<AccountAnswer> {
    return accountAnswer(await this.accounts.updateOwn(caller, body));
  }

  @Delete()
  @Operation({
    id: 'closeOwnAccount',
    summary: 'Close the account of the token for good',
    access: 'required',
    refusals: ['forbidden', 'active_subscriptions', 'not_found', 'conflict'],
    description:
      'For its owner. What is pending is canceled, linked users are deleted, all sessions end; the books stay on record.',
    answers: { status: 200, type: ClosedAccountAnswer, description: 'It is closed.' },
  })
  async close(@Caller() caller: Principal): Promise<ClosedAccountAnswer> {
    return closedAccountAnswer(await this.accounts.closeOwn(caller));
  }
}
