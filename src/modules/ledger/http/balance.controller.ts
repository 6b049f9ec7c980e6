import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../kernel/clock';
import { IdParam, Operation } from '../../../platform/http/operation';
import { Account, Accounts } from '../../accounts';
import { Principal } from '../../auth';
import { Caller } from '../../auth/http';
import { Ledger } from '../domain/ledger';
import { BalanceQuery, balanceResponse, BalanceResponse, pastBalanceResponse } from './balance.dto';

/** The balance of an account, now or at an earlier time. */
@ApiTags('Accounts')
@Controller('v1')
export class BalanceController {
  constructor(
    private readonly accounts: Accounts,
    private readonly ledger: Ledger,
    private readonly clock: Clock,
  ) {}

  @Get('account/balance')
  @Operation({
    id: 'getOwnBalance',
    scope: 'transactions:read',
    summary: 'Retrieve the balance of the account of the token',
    errors: ['forbidden'],
    response: { type: BalanceResponse, description: 'The balance.' },
  })
  async own(@Caller() caller: Principal, @Query() { as_of }: BalanceQuery): Promise<BalanceResponse> {
    return this.balance(await this.accounts.own(caller), as_of);
  }

  @Get('accounts/:account_id/balance')
  @Operation({
    id: 'getBalance',
    scope: 'transactions:read',
    summary: 'Retrieve the balance of any account',
    errors: ['forbidden', 'not_found'],
    description: 'For the back office and platform systems.',
    response: { type: BalanceResponse, description: 'The balance.' },
  })
  async any(
    @Caller() caller: Principal,
    @IdParam('account_id', 'acc', 'The id of the account.') id: string,
    @Query() { as_of }: BalanceQuery,
  ): Promise<BalanceResponse> {
    return this.balance(await this.accounts.get(caller, id), as_of);
  }

  private async balance(account: Account, asOf: Date | undefined): Promise<BalanceResponse> {
    if (asOf === undefined) return balanceResponse(account, this.clock.now());
    return pastBalanceResponse(account, await this.ledger.postedAt(account.id, asOf), asOf);
  }
}
