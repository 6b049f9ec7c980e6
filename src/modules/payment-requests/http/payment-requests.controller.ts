import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseTimestamp } from '../../../kernel/clock';
import { IdempotentRequest } from '../../../platform/database/database';
import { accountOwnedOperations } from '../../../platform/http/account-owned-resource';
import { listOrCsv } from '../../../platform/http/csv-export';
import { parseListRequest } from '../../../platform/http/list-query';
import { Operation } from '../../../platform/http/operation';
import { canceledResponse } from '../../../platform/http/response-fields';
import { AccountReader } from '../../accounts';
import { Caller, IdempotencyKey, Principal } from '../../auth/http';
import { IncomingPayments } from '../application/incoming-payments.service';
import { PaymentRequestSettlement } from '../application/payment-request-settlement';
import { PaymentRequests } from '../application/payment-requests.service';
import { PaymentLinks, readIdSuffix } from '../domain/payment-references';
import {
  unappliedPaymentResponse,
  UnappliedPaymentResponse,
} from '../unapplied-payments/unapplied-payments.dto';
import {
  CanceledPaymentRequestResponse,
  CreatedPaymentRequestResponse,
  createdPaymentRequestResponse,
  CreatePaymentRequestRequest,
  ListPaymentRequestsQuery,
  paymentRequestResponse,
  PaymentRequestResponse,
  PaymentRequestsResponse,
  paymentRequestsResponse,
  paymentRequestStatusResponse,
  PaymentRequestStatusResponse,
  RecordUnappliedPaymentRequest,
  retrievedPaymentRequestResponse,
  RetrievedPaymentRequestResponse,
  SettlePaymentRequestRequest,
} from './payment-requests.dto';

const operations = accountOwnedOperations('payment request', 'pay', {
  scope: 'payment_requests',
  operatorScope: 'payments',
  idName: 'payment_id',
});

/** Interface 4.5, and further operations on payment requests. */
@ApiTags('Payment requests')
@Controller('v1/payments')
export class PaymentRequestsController {
  constructor(
    private readonly requests: PaymentRequests,
    private readonly settlement: PaymentRequestSettlement,
    private readonly payments: IncomingPayments,
    private readonly links: PaymentLinks,
    private readonly accounts: AccountReader,
  ) {}

  @operations.Create(CreatedPaymentRequestResponse, { errors: ['account_not_found'] })
  create(
    @Caller() caller: Principal,
    @Body() { expires_at, ...body }: CreatePaymentRequestRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    const newRequest = { ...body, expires_at: parseTimestamp(expires_at) ?? undefined };
    return this.requests.create(caller, newRequest, {
      ...request,
      render: (created) => createdPaymentRequestResponse(created, this.links),
    });
  }

  @operations.List(PaymentRequestsResponse)
  list(@Caller() caller: Principal, @Query() query: ListPaymentRequestsQuery) {
    return listOrCsv(
      PaymentRequestsResponse,
      query,
      async ({ view, transfer_reference, ...part }) => {
        const idSuffix = transfer_reference === undefined ? undefined : readIdSuffix(transfer_reference);
        const { filter, page } = parseListRequest(part);
        const requests = await this.requests.list(caller, { ...filter, idSuffix }, page);
        return paymentRequestsResponse(requests, this.links, view);
      },
      this.accounts,
    );
  }

  @operations.Get(RetrievedPaymentRequestResponse)
  async get(@Caller() caller: Principal, @operations.Id() id: string) {
    return retrievedPaymentRequestResponse(await this.requests.get(caller, id), this.links);
  }

  @Get(':payment_id/status')
  @Operation({
    id: 'getPaymentRequestStatus',
    scope: 'payment_requests:read',
    summary: 'Poll the status of a payment request',
    errors: ['not_found'],
    response: {
      type: PaymentRequestStatusResponse,
      description: 'The status of the payment request.',
    },
  })
  async status(@Caller() caller: Principal, @operations.Id() id: string) {
    return paymentRequestStatusResponse(await this.requests.get(caller, id));
  }

  @operations.Cancel(CanceledPaymentRequestResponse)
  async cancel(@Caller() caller: Principal, @operations.Id() id: string) {
    return canceledResponse(await this.requests.cancel(caller, id), 'The payment request was canceled.');
  }

  @operations.Settle(PaymentRequestResponse, {
    summary: 'Settle a payment request',
    description:
      'For admins and platform systems, when customers pay outside of the service. `succeeded` records the payment. A repeat of the same outcome returns the same response. An admin who reports a payment above the limit gets `conflict` where a second admin has to approve it: see `POST /v1/approvals`.',
  })
  async settle(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() settlement: SettlePaymentRequestRequest,
  ) {
    return paymentRequestResponse(await this.settlement.settle(caller, id, settlement), this.links);
  }

  @Post(':payment_id/unapplied-payments')
  @Operation({
    id: 'recordUnappliedPayment',
    scope: 'payments:write',
    summary: 'Record an unapplied payment',
    idempotent: true,
    errors: ['not_found', 'conflict'],
    description:
      'For admins and platform systems, when customers pay outside of the service: a payment that cannot be applied, because the request has ended, is paid already or has another amount. The payment does not change the balance of the account. It is listed among the unapplied payments until it is returned.',
    response: { type: UnappliedPaymentResponse, description: 'The unapplied payment.' },
  })
  recordUnapplied(
    @Caller() caller: Principal,
    @operations.Id() id: string,
    @Body() { amount }: RecordUnappliedPaymentRequest,
    @IdempotencyKey() request: IdempotentRequest,
  ) {
    return this.payments.recordUnapplied(caller, id, amount, {
      ...request,
      render: unappliedPaymentResponse,
    });
  }
}
