import { EnumField, field, StringField, TimestampField } from '../../platform/http/request-fields';
import { idSchema, nameEnum, ResponseField, Timestamp } from '../../platform/http/response-fields';
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

export class AdvanceClockRequest {
  @StringField(1, 40, '1 month', {
    optional: true,
    description: 'A period, such as `90 seconds`, `2 days` or `1 month`. Either `advance` or `at`.',
  })
  advance?: string;

  @TimestampField('The time to which the clock moves, not in the past.') at?: string;
}

export class ClockResponse {
  @Timestamp() now: string;
}

export class SimulatePaymentRequest {
  /** `declined`: one attempt to pay is declined. The fifth one fails the payment request. */
  @EnumField(simulatedOutcomes) outcome: SimulatedOutcome;
}

export class SimulatedPaymentResponse {
  @ResponseField(idSchema('pay')) id: string;
  @ResponseField({ enum: ['pending', 'succeeded', 'failed'], example: 'succeeded' }) status: string;
}

export class ScriptFaultRequest {
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

export class FaultResponse {
  @ResponseField({ example: 'POST /v1/transactions' }) operation: string;
  @ResponseField({ enum: faults, description: FAULTS_EXPLAINED }) fault: Fault;

  @ResponseField({ type: 'integer', example: 1, description: 'How many further requests it affects.' })
  remaining: number;

  @ResponseField({ type: 'integer', nullable: true, example: null }) delay_ms: number | null;
  @ResponseField({ type: 'integer', nullable: true, example: 1 }) retry_after_seconds: number | null;
}

export class FaultsResponse {
  @ResponseField({ type: [FaultResponse] }) data: FaultResponse[];
}

export function toNewFault({ operation, fault, ...rest }: ScriptFaultRequest): NewFault {
  const { times, delay_ms: delayMs, retry_after_seconds: retryAfterSeconds } = rest;
  return { operation, fault, times, delayMs, retryAfterSeconds };
}

export function faultResponse(scripted: ScriptedFault): FaultResponse {
  const { operation, fault, remaining, delayMs, retryAfterSeconds } = scripted;
  return { operation, fault, remaining, delay_ms: delayMs, retry_after_seconds: retryAfterSeconds };
}
