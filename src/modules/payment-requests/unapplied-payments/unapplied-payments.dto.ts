import {
  accountOwnedAmountResponse,
  AccountOwnedAmountResponse,
} from '../../../platform/http/account-owned-resource';
import { CursorListQuery, FormatParam, ListFormat } from '../../../platform/http/list-query';
import { EnumField } from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../platform/http/response-fields';
import {
  RejectionReason,
  rejectionReasons,
  UnappliedPayment,
  unappliedPaymentLifecycle,
} from './unapplied-payment';

nameEnum('UnappliedPaymentStatus', unappliedPaymentLifecycle.states);
nameEnum('RejectionReason', rejectionReasons);

const resolutions = ['returned', 'retry'] as const;
nameEnum('UnappliedPaymentResolution', resolutions);

export class ListUnappliedPaymentsQuery extends CursorListQuery('unp', 'unapplied payments', {
  status: unappliedPaymentLifecycle.states,
  reason: rejectionReasons,
}) {
  @FormatParam() format?: ListFormat;
}

export class ResolveUnappliedPaymentRequest {
  /** `returned`: a person has returned the payment. `retry`: the service tries again. */
  @EnumField(resolutions) outcome: (typeof resolutions)[number];
}

export class UnappliedPaymentResponse extends AccountOwnedAmountResponse(
  'unp',
  unappliedPaymentLifecycle.states,
  '`needs_attention`: the service could not return the payment, and a person has to resolve it.',
) {
  @IdResponseField('pay', { description: 'The payment request that the customer tried to pay.' })
  payment_request_id: string;

  @ResponseField({
    enum: rejectionReasons,
    description: 'Why the payment could not be applied to the payment request.',
  })
  reason: RejectionReason;

  @ResponseField({
    nullable: true,
    example: 'pi_3Q1a2b3c4d5e6f',
    description: "The processor's id of the payment; null for a payment that an operator recorded.",
  })
  processor_reference: string | null;

  @ResponseField({
    nullable: true,
    example: 'charge_already_refunded',
    description: 'A code for why the payment needs attention.',
  })
  failure_reason: string | null;

  @Timestamp() updated_at: string;
  @Timestamp(undefined, { nullable: true }) returned_at: string | null;
}

export class UnappliedPaymentsResponse extends CursorListResponse(UnappliedPaymentResponse) {}

export function unappliedPaymentResponse(payment: Readonly<UnappliedPayment>): UnappliedPaymentResponse {
  return accountOwnedAmountResponse(payment, {
    payment_request_id: payment.paymentRequestId,
    reason: payment.reason,
    processor_reference: payment.processorReference,
    failure_reason: payment.failureReason,
    updated_at: payment.updatedAt.toISOString(),
    returned_at: payment.returnedAt?.toISOString() ?? null,
  });
}
