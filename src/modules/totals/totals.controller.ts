import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation } from '../../platform/http/operation';
import { Caller, Principal } from '../auth/http';
import { OperatorTotals } from './totals.service';
import { TotalsQuery, TotalsResponse, totalsResponse } from './totals.dto';

/** The figures of the operator over all accounts. */
@ApiTags('Totals')
@Controller('v1/totals')
export class TotalsController {
  constructor(private readonly totals: OperatorTotals) {}

  @Get()
  @Operation({
    id: 'getTotals',
    summary: 'Retrieve the totals of all accounts',
    scope: 'transactions:read',
    description:
      'For the back office and platform systems: the money that all accounts hold by currency, what came in and went out by day, how transactions ended, compared with the period before, and what waits: pending transactions, unapplied payments, failed deliveries and webhook endpoints that fail or are disabled. Sums above 2^53 - 1 are rounded.',
    response: { type: TotalsResponse, description: 'The totals.' },
  })
  async get(@Caller() caller: Principal, @Query() { from, to, currency }: TotalsQuery) {
    return totalsResponse(await this.totals.read(caller, { from, to }, currency ?? null));
  }
}
