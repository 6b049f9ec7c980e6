import { Body, Controller, Get, Query, StreamableFile } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  accountOwnedOperations,
  Caller,
  canceledResponse,
  cursorListResponse,
  IdempotencyKey,
  IdempotentRequest,
  listOrCsv,
  parseListRequest,
  Operation,
  Principal,
  StoredResponse,
} from 'countinghouse';
import {
  CanceledPayoutResponse,
  CreatePayoutRequest,
  ListPayoutsQuery,
  payoutResponse,
  PayoutResponse,
  PayoutsResponse,
  PayoutTotalsResponse,
  SettlePayoutRequest,
} from './payouts.dto';
import { Payouts } from './payouts.service';

const operations = accountOwnedOperations('payout', 'pout', { scope: 'payouts' });

@ApiTags('Payouts')
@Controller('v1/payouts')
export class PayoutsController {
  constructor(private readonly payouts: Payouts) {}

  @operations.Create(PayoutResponse, { errors: ['insufficient_funds', 'currency_mismatch', 'not_found'] })
  create(
    @Caller() caller: Principal,
    @Body() body: CreatePayoutRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ): Promise<StoredResponse> {
    return this.payouts.create(caller, body, { ...request, render: payoutResponse });
  }

  @operations.List(PayoutsResponse)
  list(
    @Caller() caller: Principal,
    @Query() query: ListPayoutsQuery,
  ): Promise<PayoutsResponse | StreamableFile> {
    return listOrCsv(PayoutsResponse, query, async (part) => {
      const { filter, page } = parseListRequest(part);
      return cursorListResponse(await this.payouts.list(caller, filter, page), payoutResponse);
    });
  }

  @Get('totals')
  @Operation({
    id: 'getPayoutTotals',
    scope: 'payouts:read',
    summary: 'Sum the payouts of all accounts',
    errors: ['forbidden'],
    response: PayoutTotalsResponse,
  })
  async totals(@Caller() caller: Principal): Promise<PayoutTotalsResponse> {
    return { data: await this.payouts.totals(caller) };
  }

  @operations.Get(PayoutResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string): Promise<PayoutResponse> {
    return payoutResponse(await this.payouts.get(caller, id));
  }

  @operations.Settle(PayoutResponse)
  async settle(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() { outcome }: SettlePayoutRequest,
  ): Promise<PayoutResponse> {
    return payoutResponse(await this.payouts.settle(caller, id, outcome));
  }

  @operations.Cancel(CanceledPayoutResponse)
  async cancel(@Caller() caller: Principal, @operations.Id() id: string): Promise<CanceledPayoutResponse> {
    return canceledResponse(await this.payouts.cancel(caller, id), 'The payout was canceled.');
  }
}
