import { CursorPage } from '../../../kernel/pages';
import { Metadata } from '../../../kernel/metadata';
import { canceledAnswer, CanceledAnswer } from '../../../platform/http/canceled-answer';
import { CursorListAnswer, cursorListAnswer, CursorListQuery } from '../../../platform/http/cursor-list';
import {
  Amount,
  Currency,
  Email,
  exampleId,
  FutureMoment,
  Id,
  MetadataField,
  Moment,
  OneOf,
  Reference,
  Shown,
  Text,
} from '../../../platform/http/fields';
import { PaymentLinks } from '../domain/payment-links';
import { PaymentRequest } from '../domain/payment-request';
import { paymentRequestLifecycle, PaymentRequestStatus } from '../domain/payment-request.lifecycle';

export class CreatePaymentRequestRequest {
  @Id('acc')
  account_id: string;

  @Amount()
  amount: number;

  @Currency()
  currency: string;

  @Email()
  customer_email: string;

  @Reference()
  reference?: string | null;

  @MetadataField()
  metadata?: Metadata | null;

  @FutureMoment('When it can no longer be paid: within a year. 30 days from now when not given.')
  expires_at?: string;
}

export class SettlePaymentRequestRequest {
  @OneOf(['succeeded', 'failed'])
  outcome: 'succeeded' | 'failed';

  /** Whoever reports has looked at the right request if this is its amount. */
  @Amount()
  amount: number;
}

export class RecordLatePaymentRequest {
  @Amount()
  amount: number;
}

export class ListPaymentRequestsQuery extends CursorListQuery('pay', 'payment requests') {
  @OneOf(paymentRequestLifecycle.states, {
    optional: true,
    description: 'Only payment requests of this status.',
  })
  status?: PaymentRequestStatus;

  @Text(0, 254, 'customer@example.com', {
    optional: true,
    description: 'Only payment requests to this customer.',
  })
  customer_email?: string;

  @Text(1, 20, '01QEY-6AB5D', {
    optional: true,
    description: 'Only the payment request that a bank transfer with this payment reference is for.',
  })
  transfer_reference?: string;
}

export class CreatedPaymentRequestAnswer {
  @Shown({ type: 'string', example: exampleId('pay') })
  id: string;

  @Shown({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @Shown({ type: 'integer', example: 1250, description: 'Minor units.' })
  amount: number;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'string', enum: [...paymentRequestLifecycle.states] })
  status: PaymentRequestStatus;

  @Shown({ type: 'string', example: 'customer@example.com' })
  customer_email: string;

  @Shown({ type: 'string', nullable: true, example: 'invoice-2041' })
  reference: string | null;

  @Shown({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @Moment()
  created_at: string;

  @Shown({
    type: 'string',
    format: 'uri',
    example: 'https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM',
    description: 'Where the customer pays. Whoever has the link may pay.',
  })
  payment_url: string;
}

export class PaymentRequestAnswer extends CreatedPaymentRequestAnswer {
  @Moment()
  expires_at: string;

  @Moment()
  updated_at: string;
}

export class PaymentRequestsAnswer extends CursorListAnswer(CreatedPaymentRequestAnswer) {}

export class PaymentRequestStatusAnswer {
  @Shown({ type: 'string', example: exampleId('pay') })
  id: string;

  @Shown({ type: 'string', enum: [...paymentRequestLifecycle.states] })
  status: PaymentRequestStatus;

  @Shown({ type: 'integer', example: 1250, description: 'Minor units.' })
  amount: number;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'string', nullable: true, example: 'invoice-2041' })
  reference: string | null;

  @Moment()
  updated_at: string;
}

export class CanceledPaymentRequestAnswer extends CanceledAnswer('pay', 'payment request') {}

export function createdPaymentRequestAnswer(
  request: PaymentRequest,
  links: PaymentLinks,
): CreatedPaymentRequestAnswer {
  const { id, accountId, amount, currency, status, customerEmail, reference, metadata, createdAt, secret } =
    request;
  return {
    id,
    account_id: accountId,
    amount,
    currency,
    status,
    customer_email: customerEmail,
    reference,
    metadata,
    created_at: createdAt.toISOString(),
    payment_url: links.to(secret),
  };
}

export function paymentRequestAnswer(request: PaymentRequest, links: PaymentLinks): PaymentRequestAnswer {
  return {
    ...createdPaymentRequestAnswer(request, links),
    expires_at: request.expiresAt.toISOString(),
    updated_at: request.updatedAt.toISOString(),
  };
}

export function paymentRequestsAnswer(
  requests: CursorPage<PaymentRequest>,
  links: PaymentLinks,
): PaymentRequestsAnswer {
  return cursorListAnswer(requests, (request) => createdPaymentRequestAnswer(request, links));
}

export function paymentRequestStatusAnswer(request: PaymentRequest): PaymentRequestStatusAnswer {
  const { id, status, amount, currency, reference, updatedAt } = request;
  return { id, status, amount, currency, reference, updated_at: updatedAt.toISOString() };
}

export function canceledPaymentRequestAnswer(request: PaymentRequest): CanceledPaymentRequestAnswer {
  return canceledAnswer(request, 'The payment request was canceled.');
}
