import { CursorListAnswer } from '../../../platform/http/cursor-list';
import { exampleId, Id, Moment, OneOf, Shown } from '../../../platform/http/fields';
import { Cursor, QueryInteger } from '../../../platform/http/query-fields';
import { LatePayment, LateReason, lateReasons } from '../domain/late-payment';
import { latePaymentLifecycle, LatePaymentStatus } from '../domain/late-payment.lifecycle';

export class ListLatePaymentsQuery {
  @OneOf(latePaymentLifecycle.states, { optional: true, description: 'Only late payments of this status.' })
  status?: LatePaymentStatus;

  @OneOf(lateReasons, { optional: true, description: 'Only late payments for this reason.' })
  reason?: LateReason;

  @Id('acc', { optional: true, description: 'Only late payments to this account.' })
  account_id?: string;

  @QueryInteger(20, 100, 'Late payments per page.')
  limit: number = 20;

  @Cursor('late', 'Late payments older than this one.')
  starting_after?: string;

  @Cursor('late', 'Late payments newer than this one, the nearest to it.')
  ending_before?: string;
}

export class ResolveLatePaymentRequest {
  /** `returned`: a person has sent it back. `retry`: the service is to try again. */
  @OneOf(['returned', 'retry'])
  outcome: 'returned' | 'retry';
}

export class LatePaymentAnswer {
  @Shown({ type: 'string', example: exampleId('late') })
  id: string;

  @Shown({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @Shown({ type: 'string', example: exampleId('pay'), description: 'The payment request it was meant for.' })
  payment_id: string;

  @Shown({ type: 'integer', example: 1250, description: 'Minor units.' })
  amount: number;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'string', enum: [...lateReasons], description: 'Why the request could not take it.' })
  reason: LateReason;

  @Shown({
    type: 'string',
    enum: [...latePaymentLifecycle.states],
    description: '`stuck`: the service could not send it back, and a person has to.',
  })
  status: LatePaymentStatus;

  @Shown({
    type: 'string',
    nullable: true,
    example: 'pi_3Q1a2b3c4d5e6f',
    description: "The provider's name of the payment; null for money that an operator recorded.",
  })
  processor_reference: string | null;

  @Shown({
    type: 'string',
    nullable: true,
    example: 'charge_already_refunded',
    description: 'Why it is stuck.',
  })
  failure: string | null;

  @Moment()
  created_at: string;

  @Moment()
  updated_at: string;

  @Shown({ type: 'string', format: 'date-time', nullable: true, example: '2026-01-31T09:30:00.000Z' })
  returned_at: string | null;
}

export class LatePaymentsAnswer extends CursorListAnswer(LatePaymentAnswer) {}

export function latePaymentAnswer(payment: LatePayment): LatePaymentAnswer {
  const { id, accountId, paymentRequestId, amount, currency, reason, status, failure } = payment;
  return {
    id,
    account_id: accountId,
    payment_id: paymentRequestId,
    amount,
    currency,
    reason,
    status,
    processor_reference: payment.providerReference,
    failure,
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
    returned_at: payment.returnedAt?.toISOString() ?? null,
  };
}
