import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { cursorListAnswer } from '../../../platform/http/cursor-list';
import { PathId } from '../../../platform/http/fields';
import { Operation } from '../../../platform/http/operation';
import { cursorOf } from '../../../platform/http/query-fields';
import { Caller, Principal } from '../../auth';
import { LatePayments } from '../application/late-payments.service';
import {
  LatePaymentAnswer,
  latePaymentAnswer,
  LatePaymentsAnswer,
  ListLatePaymentsQuery,
  ResolveLatePaymentRequest,
} from './late-payments.dto';

/** The back office's list of money that came when its payment request could no longer take it. */
@ApiTags('Late payments')
@Controller('v1/late-payments')
export class LatePaymentsController {
  constructor(private readonly latePayments: LatePayments) {}

  @Get()
  @Operation({
    id: 'listLatePayments',
    summary: 'List money that came too late',
    access: 'required',
    refusals: ['forbidden'],
    description: 'For admins and platform systems, newest first.',
    answers: { status: 200, type: LatePaymentsAnswer, description: 'One page.' },
  })
  async list(
    @Caller() caller: Principal,
    @Query() query: ListLatePaymentsQuery,
  ): Promise<LatePaymentsAnswer> {
    const { account_id: accountId, status, reason } = query;
    const filter = { accountId, status, reason };
    return cursorListAnswer(await this.latePayments.list(caller, filter, cursorOf(query)), latePaymentAnswer);
  }

  @Get(':late_payment_id')
  @Operation({
    id: 'getLatePayment',
    summary: 'Retrieve a late payment',
    access: 'required',
    refusals: ['forbidden', 'not_found'],
    description: 'For admins and platform systems.',
    answers: { status: 200, type: LatePaymentAnswer, description: 'The late payment.' },
  })
  async get(
    @Caller() caller: Principal,
    @PathId('late_payment_id', 'late', 'The id of the late payment.') id: string,
  ): Promise<LatePaymentAnswer> {
    return latePaymentAnswer(await this.latePayments.get(caller, id));
  }

  @Post(':late_payment_id/resolution')
  @Operation({
    id: 'resolveLatePayment',
    summary: 'See to a late payment that needs a person',
    access: 'required',
    refusals: ['forbidden', 'not_found', 'conflict'],
    description:
      'For admins and platform systems. `returned`: it was sent back by hand; once more is answered like the first time. `retry`: the service tries again to send back what is stuck. While the service is at it, `conflict`.',
    answers: { status: 200, type: LatePaymentAnswer, description: 'The late payment as it is now.' },
  })
  async resolve(
    @Caller() caller: Principal,
    @PathId('late_payment_id', 'late', 'The id of the late payment.') id: string,
    @Body() { outcome }: ResolveLatePaymentRequest,
  ): Promise<LatePaymentAnswer> {
    return latePaymentAnswer(await this.latePayments.resolve(caller, id, outcome));
  }
}
