import { Body, Controller, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { accountOwnedOperations } from '../../../platform/http/account-owned-resource';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { Operation } from '../../../platform/http/operation';
import { cursorListResponse } from '../../../platform/http/response-fields';
import { AccountReader } from '../../accounts';
import { Caller, Principal } from '../../auth/http';
import {
  ListUnappliedPaymentsQuery,
  ResolveUnappliedPaymentRequest,
  UnappliedPaymentResponse,
  unappliedPaymentResponse,
  UnappliedPaymentsResponse,
} from './unapplied-payments.dto';
import { UnappliedPayments } from './unapplied-payments.service';

const operations = accountOwnedOperations('unapplied payment', 'unp', { scope: 'payments' });

/** The operator's view of payments that match no open payment request. */
@ApiTags('Unapplied payments')
@Controller('v1/unapplied-payments')
export class UnappliedPaymentsController {
  constructor(
    private readonly unappliedPayments: UnappliedPayments,
    private readonly accounts: AccountReader,
  ) {}

  @operations.List(UnappliedPaymentsResponse, {
    description: 'For the back office and platform systems. Newest first.',
  })
  list(@Caller() caller: Principal, @Query() query: ListUnappliedPaymentsQuery) {
    return listOrCsv(
      UnappliedPaymentsResponse,
      query,
      async (part) => {
        const { filter, page } = parseListRequest(part);
        const payments = await this.unappliedPayments.list(caller, filter, page);
        return cursorListResponse(payments, unappliedPaymentResponse);
      },
      this.accounts,
    );
  }

  @operations.Get(UnappliedPaymentResponse, {
    description: 'For the back office and platform systems.',
  })
  async get(@Caller() caller: Principal, @operations.Id() id: string) {
    return unappliedPaymentResponse(await this.unappliedPayments.get(caller, id));
  }

  @Post(':unapplied_payment_id/resolution')
  @Operation({
    id: 'resolveUnappliedPayment',
    scope: 'payments:write',
    summary: 'Resolve an unapplied payment',
    errors: ['not_found', 'conflict'],
    description:
      'For admins and platform systems. `returned`: a person has returned the payment to the customer; a repeat has the same response. `retry`: the service tries again to return a payment that needs attention. While the service is returning the payment, the response is `conflict`.',
    response: {
      type: UnappliedPaymentResponse,
      description: 'The unapplied payment after the change.',
    },
  })
  async resolve(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() { outcome }: ResolveUnappliedPaymentRequest,
  ) {
    return unappliedPaymentResponse(await this.unappliedPayments.resolve(caller, id, outcome));
  }
}
