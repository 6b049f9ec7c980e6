import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseTimestamp } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { IdParam, Operation } from '../../platform/http/operation';
import { MessageResponse } from '../../platform/http/response-fields';
import { assertAdmin, isBackOffice, Principal } from '../auth';
import { Caller } from '../auth/http';
import {
  AdvanceClockRequest,
  ClockResponse,
  FaultResponse,
  faultResponse,
  FaultsResponse,
  toNewFault,
  ScriptFaultRequest,
  SimulatedPaymentResponse,
  SimulatePaymentRequest,
} from './test-operations.dto';
import { TestOperations } from './test-operations.service';

export const TEST_PATH = 'v1/test';

const FOR_ADMINS = 'For admins.';

/** Lets a test control the service over HTTP. The routes exist only with TEST_OPERATIONS. */
@ApiTags('Test operations')
@Controller(TEST_PATH)
export class TestOperationsController {
  constructor(private readonly operations: TestOperations) {}

  @Post('clock')
  @Operation({
    id: 'advanceClock',
    summary: 'Move time forward',
    description: `${FOR_ADMINS} Settles, expires, bills and delivers what becomes due, in its order, before it responds. Background work waits meanwhile. Tokens and sessions end as time passes.`,
    response: { type: ClockResponse, description: 'The time of the service.' },
  })
  async advanceClock(
    @Caller() caller: Principal,
    @Body() { advance, at }: AdvanceClockRequest,
  ): Promise<ClockResponse> {
    assertMayTest(caller);
    if ((advance === undefined) === (at === undefined)) {
      throw new DomainError('invalid_request', 'Send either advance or at.');
    }
    return { now: (await this.operations.advance(advance ?? parseTimestamp(at)!)).toISOString() };
  }

  @Post('payments/:payment_id/outcome')
  @Operation({
    id: 'simulatePayment',
    summary: 'End a payment request as its customer would',
    description: FOR_ADMINS,
    errors: ['not_found', 'conflict'],
    response: { type: SimulatedPaymentResponse, description: 'The payment request after the change.' },
  })
  async simulatePayment(
    @Caller() caller: Principal,
    @IdParam('payment_id', 'pay', 'The id of the payment request.') paymentId: string,
    @Body() { outcome }: SimulatePaymentRequest,
  ): Promise<SimulatedPaymentResponse> {
    assertMayTest(caller);
    const { id, status } = await this.operations.simulatePayment(paymentId, outcome);
    return { id, status };
  }

  @Post('faults')
  @Operation({
    id: 'scriptFault',
    summary: 'Let the next requests for an operation fail',
    description: `${FOR_ADMINS} The faults of one operation take effect one after another.`,
    response: FaultResponse,
  })
  scriptFault(@Caller() caller: Principal, @Body() request: ScriptFaultRequest): FaultResponse {
    assertMayTest(caller);
    return faultResponse(this.operations.scriptFault(toNewFault(request)));
  }

  @Get('faults')
  @Operation({
    id: 'listFaults',
    summary: 'List the faults that have not taken effect yet',
    description: 'For admins and support people.',
    response: FaultsResponse,
  })
  listFaults(@Caller() caller: Principal): FaultsResponse {
    if (!isBackOffice(caller)) assertMayTest(caller);
    return { data: this.operations.faults.map(faultResponse) };
  }

  @Delete('faults')
  @Operation({
    id: 'clearFaults',
    summary: 'Remove all scripted faults',
    description: FOR_ADMINS,
    response: MessageResponse,
  })
  clearFaults(@Caller() caller: Principal): MessageResponse {
    assertMayTest(caller);
    this.operations.clearFaults();
    return { message: 'There are no scripted faults.' };
  }

  @Post('reset')
  @Operation({
    id: 'resetService',
    summary: 'Go back to the state after the start',
    description: `${FOR_ADMINS} Restores the data and the time, and removes all faults. It ends all sessions that began after the start, that of the caller too.`,
    response: MessageResponse,
  })
  async reset(@Caller() caller: Principal): Promise<MessageResponse> {
    assertMayTest(caller);
    await this.operations.reset();
    return { message: 'The service is as it was after its start. Log in again.' };
  }
}

function assertMayTest(caller: Principal): void {
  assertAdmin(caller, 'Only admins can call the operations for tests.');
}
