import { Body, Controller, Delete, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answer } from '../../../platform/database/idempotency';
import { filterOf } from '../../../platform/http/cursor-list';
import { momentOf, PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { cursorOf } from '../../../platform/http/query-fields';
import { Caller, IdempotencyKey, Principal, Repeatable } from '../../auth';
import { LatePaymentAnswer, latePaymentAnswer } from '../../late-payments';
import { Checkout } from '../application/checkout.service';
import { PaymentRequests } from '../application/payment-requests.service';
import { PaymentLinks } from '../domain/payment-links';
import { idEndOf } from '../page/bank-transfer';
import {
  canceledPaymentRequestAnswer,
  CanceledPaymentRequestAnswer,
  createdPaymentRequestAnswer,
  CreatedPaymentRequestAnswer,
  CreatePaymentRequestRequest,
  ListPaymentRequestsQuery,
  paymentRequestAnswer,
  PaymentRequestAnswer,
  paymentRequestsAnswer,
  PaymentRequestsAnswer,
  paymentRequestStatusAnswer,
  PaymentRequestStatusAnswer,
  RecordLatePaymentRequest,
  SettlePaymentRequestRequest,
} from './payment-requests.dto';

/** Interface 4.5, and the operations on payment requests that go beyond it. */
@ApiTags('Payment requests')
@Controller('v1/payments')
export class PaymentRequestsController {
  constructor(
    private readonly requests: PaymentRequests,
    private readonly checkout: Checkout,
    private readonly links: PaymentLinks,
  ) {}

  @Post()
  @Operation({
    id: 'createPaymentRequest',
    summary: 'Ask a customer for money',
    access: 'required',
    idempotent: true,
    refusals: ['account_not_found', 'forbidden'],
    answers: {
      status: 201,
      type: CreatedPaymentRequestAnswer,
      description: 'The new payment request, with its link.',
    },
  })
  create(
    @Caller() caller: Principal,
    @Body() { expires_at, ...body }: CreatePaymentRequestRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    const wanted = { ...body, ...(expires_at !== undefined && { expires_at: momentOf(expires_at) }) };
    return this.requests.create(caller, wanted, {
      ...request,
      render: (made) => createdPaymentRequestAnswer(made, this.links),
    });
  }

  @Get()
  @Operation({
    id: 'listPaymentRequests',
    summary: 'List payment requests',
    access: 'required',
    refusals: [],
    description:
      "Newest first: those of the token's account, or of all accounts for admins and platform systems.",
    answers: { status: 200, type: PaymentRequestsAnswer, description: 'One page.' },
  })
  async list(
    @Caller() caller: Principal,
    @Query() query: ListPaymentRequestsQuery,
  ): Promise<PaymentRequestsAnswer> {
    const { status, customer_email: customerEmail, transfer_reference } = query;
    const idEnd = transfer_reference === undefined ? undefined : idEndOf(transfer_reference);
    const filter = { ...filterOf(query), status, customerEmail, idEnd };
    return paymentRequestsAnswer(await this.requests.list(caller, filter, cursorOf(query)), this.links);
  }

  @Get(':payment_id')
  @Operation({
    id: 'getPaymentRequest',
    summary: 'Retrieve a payment request',
    access: 'required',
    refusals: ['not_found'],
    answers: { status: 200, type: PaymentRequestAnswer, description: 'The payment request.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('payment_id', 'pay', 'The id of the payment request.') id: string,
  ): Promise<PaymentRequestAnswer> {
    return paymentRequestAnswer(await this.requests.get(caller, id), this.links);
  }

  @Get(':payment_id/status')
  @Operation({
    id: 'getPaymentRequestStatus',
    summary: 'Poll the status of a payment request',
    access: 'required',
    refusals: ['not_found'],
    answers: { status: 200, type: PaymentRequestStatusAnswer, description: 'Its status.' },
  })
  async status(
    @Caller() caller: Principal,
    @PathId('payment_id', 'pay', 'The id of the payment request.') id: string,
  ): Promise<PaymentRequestStatusAnswer> {
    return paymentRequestStatusAnswer(await this.requests.get(caller, id));
  }

  @Delete(':payment_id')
  @Operation({
    id: 'cancelPaymentRequest',
    summary: 'Cancel a pending payment request',
    access: 'required',
    refusals: ['not_found', 'not_cancellable'],
    answers: { status: 200, type: CanceledPaymentRequestAnswer, description: 'It was canceled.' },
  })
  async cancel(
    @Caller() caller: Principal,
    @PathId('payment_id', 'pay', 'The id of the payment request.') id: string,
  ): Promise<CanceledPaymentRequestAnswer> {
    return canceledPaymentRequestAnswer(await this.requests.cancel(caller, id));
  }

  @Post(':payment_id/settlement')
  @Operation({
    id: 'settlePaymentRequest',
    summary: "Report what became of the customer's money",
    access: 'required',
    refusals: ['forbidden', 'not_found', 'conflict'],
    description:
      'For admins and platform systems, where customers pay outside of the service. `succeeded` records the payment. The same outcome again is answered like the first time.',
    answers: { status: 200, type: PaymentRequestAnswer, description: 'The payment request as it is now.' },
  })
  async settle(
    @Caller() caller: Principal,
    @PathId('payment_id', 'pay', 'The id of the payment request.') id: string,
    @Body() settlement: SettlePaymentRequestRequest,
  ): Promise<PaymentRequestAnswer> {
    return paymentRequestAnswer(await this.checkout.settle(caller, id, settlement), this.links);
  }

  @Post(':payment_id/late-payments')
  @Operation({
    id: 'recordLatePayment',
    summary: 'Record money that came too late',
    access: 'required',
    idempotent: true,
    refusals: ['forbidden', 'not_found', 'conflict'],
    description:
      'For admins and platform systems, where customers pay outside of the service: money that came in for a request that had ended, was paid already or asks for another amount. It is not booked to the account, and shows among the late payments until a person has sent it back.',
    answers: { status: 201, type: LatePaymentAnswer, description: 'The record.' },
  })
  recordLate(
    @Caller() caller: Principal,
    @PathId('payment_id', 'pay', 'The id of the payment request.') id: string,
    @Body() { amount }: RecordLatePaymentRequest,
    @IdempotencyKey() request: Repeatable,
  ): Promise<Answer> {
    return this.checkout.recordLate(caller, id, amount, { ...request, render: latePaymentAnswer });
  }
}
