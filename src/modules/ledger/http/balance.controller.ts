import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Clock } from '../../../kernel/clock';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { Account, Accounts } from '../../accounts';
import { Caller, Principal } from '../../auth';
import { Ledger } from '../application/ledger.service';
import { balanceAnswer, BalanceAnswer, BalanceQuery, pastBalanceAnswer } from './balance.dto';

/** What an account holds, now or at an earlier moment. */
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
    summary: 'Retrieve the balance of the account of the token',
    access: 'required',
    refusals: ['forbidden'],
    answers: { status: 200, type: BalanceAnswer, description: 'The balance.' },
  })
  async own(@Caller() caller: Principal, @Query() { as_of }: BalanceQuery): Promise<BalanceAnswer> {
    return this.balance(await this.accounts.own(caller), as_of);
  }

  @Get('accounts/:account_id/balance')
  @Operation({
    id: 'getBalance',
    summary: 'Retrieve the balance of any account',
    access: 'required',
    refusals: ['forbidden', 'not_found'],
    description: 'For admins and platform systems.',
    answers: { status: 200, type: BalanceAnswer, description: 'The balance.' },
  })
  async any(
    @Caller() caller: Principal,
    @PathId('account_id', 'acc', 'The id of the account.') id: string,
    @Query() { as_of }: BalanceQuery,
  ): Promise<BalanceAnswer> {
    return this.balance(await this.accounts.get(caller, id), as_of);
  }

  private async balance(account: Account, asOf: Date | undefined): Promise<BalanceAnswer> {
    if (asOf === undefined) return balanceAnswer(account, this.clock.now());
    return pastBalanceAnswer(account, await this.ledger.postedAt(account.id, asOf), asOf);
  }
}
