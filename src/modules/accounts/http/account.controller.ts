import { Body, Controller, Delete, Get, Patch } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Precondition } from '../../../kernel/domain-error';
import { IfMatch, VersionedOperation } from '../../../platform/http/entity-tag';
import { Operation } from '../../../platform/http/operation';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { AccountClosings } from '../application/account-closings.service';
import { Accounts } from '../domain/accounts';
import {
  AccountResponse,
  accountResponse,
  closedAccountResponse,
  ClosedAccountResponse,
  UpdateOwnAccountRequest,
} from './accounts.dto';

/** The account of the token (interface 4.3). */
@ApiTags('Accounts')
@Controller('v1/account')
export class AccountController {
  constructor(
    private readonly accounts: Accounts,
    private readonly closings: AccountClosings,
  ) {}

  @Get()
  @VersionedOperation({
    id: 'getOwnAccount',
    scope: 'transactions:read',
    summary: 'Retrieve the account of the token',
    errors: ['forbidden'],
    response: { type: AccountResponse, description: 'The account.' },
  })
  async get(@Caller() caller: Principal): Promise<AccountResponse> {
    return accountResponse(await this.accounts.own(caller));
  }

  @Patch()
  @VersionedOperation({
    id: 'updateOwnAccount',
    summary: 'Update the account of the token',
    errors: ['forbidden', 'email_exists', 'not_found', 'conflict', 'precondition_failed'],
    description:
      'For the owner, unless the account is suspended. Members that are not sent stay unchanged, also within `settings`. The currency is fixed once the account is in use.',
    response: { type: AccountResponse, description: 'The updated account.' },
  })
  async update(
    @Caller() caller: Principal,
    @Body() body: UpdateOwnAccountRequest,
    @IfMatch() precondition: Precondition,
  ): Promise<AccountResponse> {
    return accountResponse(await this.accounts.updateOwn(caller, body, precondition));
  }

  @Delete()
  @Operation({
    id: 'closeOwnAccount',
    summary: 'Close the account of the token permanently',
    errors: ['forbidden', 'active_subscriptions', 'not_found', 'conflict'],
    description:
      'For the owner; in production not while the account is suspended (`forbidden`). Pending transactions and payment requests are canceled, linked users are deleted, and all sessions end. The journal stays on record.',
    response: { type: ClosedAccountResponse, description: 'The account is closed.' },
  })
  async close(@Caller() caller: Principal): Promise<ClosedAccountResponse> {
    return closedAccountResponse(await this.closings.closeOwn(caller));
  }
}
