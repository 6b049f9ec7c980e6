import { Body, Controller, Delete, Get, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { parseTimestamp } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { IdParam, Operation } from '../../platform/http/operation';
import { EnumField, field, StringField, TimestampField } from '../../platform/http/request-fields';
import {
  idSchema,
  MessageResponse,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../platform/http/response-fields';
import { assertAdmin, isBackOffice, Principal } from '../auth';
import { Caller } from '../auth/http';
import { SimulatedOutcome, simulatedOutcomes } from '../payment-requests';
import {
  Fault,
  faults,
  MAX_DELAY_MS,
  MAX_RETRY_AFTER_SECONDS,
  MAX_TIMES,
  NewFault,
  ScriptedFault,
} from './fault-scripts';
import { TestOperations } from './test-operations.service';

nameEnum('SimulatedOutcome', simulatedOutcomes);
nameEnum('Fault', faults);

const FAULTS_EXPLAINED =
  '`rate_limited` (429) and `unavailable` (503): the operation responds with this error and does nothing. `lost_response`: it is executed, and the connection is cut before the response. `slow_response`: it is executed, and the response is delayed.';

const IntegerField = (maximum: number, example: number, description: string): PropertyDecorator =>
  field(
    {
      expected: `an integer from 1 to ${maximum}`,
      isValid: (value) => Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maximum,
      schema: { type: 'integer', minimum: 1, maximum, example },
    },
    { optional: true, description },
  );

class AdvanceClockRequest {
  @StringField(1, 40, '1 month', {
    optional: true,
    description: 'A period, such as `90 seconds`, `2 days` or `1 month`. Either `advance` or `at`.',
  })
  advance?: string;

  @TimestampField('The time to which the clock moves, not in the past.') at?: string;
}

class ClockResponse {
  @Timestamp() now: string;
}

class SimulatePaymentRequest {
  /** `declined`: one attempt to pay is declined. The fifth one fails the payment request. */
  @EnumField(simulatedOutcomes) outcome: SimulatedOutcome;
}

class SimulatedPaymentResponse {
  @ResponseField(idSchema('pay')) id: string;
  @ResponseField({ enum: ['pending', 'succeeded', 'failed'], example: 'succeeded' }) status: string;
}

class ScriptFaultRequest {
  @StringField(1, 200, 'POST /v1/transactions', {
    description: 'Method and path as in this document, or the `operationId`. Not an operation for tests.',
  })
  operation: string;

  @EnumField(faults, { description: FAULTS_EXPLAINED }) fault: Fault;
  @IntegerField(MAX_TIMES, 1, 'How many requests it affects; 1 by default.') times?: number;

  @IntegerField(MAX_DELAY_MS, 2_000, 'For `slow_response`: the delay in milliseconds; 1,000 by default.')
  delay_ms?: number;

  @IntegerField(
    MAX_RETRY_AFTER_SECONDS,
    1,
    'For `rate_limited` and `unavailable`: the header `Retry-After`, in seconds; 1 by default.',
  )
  retry_after_seconds?: number;
}

class FaultResponse {
  @ResponseField({ example: 'POST /v1/transactions' }) operation: string;
  @ResponseField({ enum: faults, description: FAULTS_EXPLAINED }) fault: Fault;

  @ResponseField({ type: 'integer', example: 1, description: 'How many further requests it affects.' })
  remaining: number;

  @ResponseField({ type: 'integer', nullable: true, example: null }) delay_ms: number | null;
  @ResponseField({ type: 'integer', nullable: true, example: 1 }) retry_after_seconds: number | null;
}

class FaultsResponse {
  @ResponseField({ type: [FaultResponse] }) data: FaultResponse[];
}

function toNewFault({ operation, fault, ...rest }: ScriptFaultRequest): NewFault {
  const { times, delay_ms: delayMs, retry_after_seconds: retryAfterSeconds } = rest;
  return { operation, fault, times, delayMs, retryAfterSeconds };
}

function faultResponse(scripted: ScriptedFault): FaultResponse {
  const { operation, fault, remaining, delayMs, retryAfterSeconds } = scripted;
  return { operation, fault, remaining, delay_ms: delayMs, retry_after_seconds: retryAfterSeconds };
}

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
  async advanceClock(@Caller() caller: Principal, @Body() { advance, at }: AdvanceClockRequest) {
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
  ) {
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
  scriptFault(@Caller() caller: Principal, @Body() request: ScriptFaultRequest) {
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
  listFaults(@Caller() caller: Principal) {
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
  clearFaults(@Caller() caller: Principal) {
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
  async reset(@Caller() caller: Principal) {
    assertMayTest(caller);
    await this.operations.reset();
    return { message: 'The service is as it was after its start. Log in again.' };
  }
}

function assertMayTest(caller: Principal): void {
  assertAdmin(caller, 'Only admins can call the operations for tests.');
}
