import { OmitType } from '@nestjs/swagger';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage } from '../../../kernel/pages';
import {
  AccountOwnedAmountResponse,
  accountOwnedAmountResponse,
  CreateAccountOwnedAmountRequest,
} from '../../../platform/http/account-owned-resource';
import {
  FormatParam,
  ListFormat,
  amountFilters,
  OrderParam,
  SortParam,
  CursorListQuery,
  customerEmailFilter,
  referenceFilter,
  ViewParam,
} from '../../../platform/http/list-query';
import {
  AmountField,
  EmailField,
  EnumField,
  field,
  MetadataField,
  StringField,
  TimestampField,
} from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  cursorListResponse,
  CanceledResponse,
  ResponseField,
  Timestamp,
  AmountResponseField,
  CurrencyResponseField,
  IdResponseField,
  nameEnum,
} from '../../../platform/http/response-fields';
import { PaymentLinks } from '../domain/payment-references';
import {
  attemptMethods,
  attemptOutcomes,
  PaymentAttempt,
  paymentRequestLifecycle,
  PaymentRequestStatus,
  ReadonlyPaymentRequest,
} from '../domain/payment-request';
import { returnUrlDescriptions, returnUrlMembers, returnUrlRule } from '../domain/return-urls';
import {
  NewSplit,
  SplitResponse,
  splitsDescription,
  splitsMember,
  splitsRule,
  splitsSchema,
} from '../domain/splits';

nameEnum('PaymentAttemptMethod', attemptMethods);
nameEnum('PaymentAttemptOutcome', attemptOutcomes);
nameEnum('PaymentRequestStatus', paymentRequestLifecycle.states);

const settlementOutcomes = ['succeeded', 'failed'] as const;
nameEnum('PaymentRequestOutcome', settlementOutcomes);

export class CreatePaymentRequestRequest extends CreateAccountOwnedAmountRequest {
  @EmailField() customer_email: string;
  @MetadataField() metadata?: Metadata | null;

  @TimestampField('When the request expires: at most a year ahead, by default in 30 days.')
  expires_at?: string;

  @field(returnUrlRule, { optional: true, nullable: true, description: returnUrlDescriptions.returnUrl })
  return_url?: string | null;

  @field(returnUrlRule, { optional: true, nullable: true, description: returnUrlDescriptions.cancelUrl })
  cancel_url?: string | null;

  @field(splitsRule, { optional: true, inExample: false, description: splitsDescription })
  splits?: NewSplit[];
}

export class SettlePaymentRequestRequest {
  @EnumField(settlementOutcomes) outcome: (typeof settlementOutcomes)[number];

  /** Must be the amount of the request, so that the settlement of a wrong request is rejected. */
  @AmountField() amount: number;
}

export class RecordUnappliedPaymentRequest {
  @AmountField() amount: number;
}

export class ListPaymentRequestsQuery extends CursorListQuery('pay', 'payment requests', {
  status: paymentRequestLifecycle.states,
  customer_email: customerEmailFilter,
  reference: referenceFilter,
  ...amountFilters,
}) {
  @SortParam() sort?: 'created_at' | 'amount';
  @OrderParam() order?: 'asc' | 'desc';
  @FormatParam() format?: ListFormat;

  @StringField(1, 20, '01QEY-6AB5D', {
    optional: true,
    description: 'Only the payment request with this payment reference of a bank transfer.',
  })
  transfer_reference?: string;

  @ViewParam() view?: 'full';
}

export class CreatedPaymentRequestResponse extends AccountOwnedAmountResponse(
  'pay',
  paymentRequestLifecycle.states,
) {
  @ResponseField({ example: 'customer@example.com' }) customer_email: string;
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;

  @ResponseField({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @ResponseField({ ...splitsSchema, required: false, description: 'Only where there are some.' })
  splits?: SplitResponse[];

  @ResponseField({
    format: 'uri',
    example: 'https://pay.example.com/pay/4dJc0mQ1rW8yZ6nT3vB5xK7pL9sH2fGaUeRiYoEwQtM',
    description: 'The page on which the customer pays. Anyone who has the link can pay.',
  })
  payment_url: string;
}

export class PaymentRequestResponse extends CreatedPaymentRequestResponse {
  @IdResponseField('txn', {
    required: false,
    description: 'The transaction that records the payment. Only of a paid request.',
  })
  transaction_id?: string;

  @ResponseField({ ...returnUrlRule.schema, required: false, description: 'Only where it was given.' })
  return_url?: string;

  @ResponseField({ ...returnUrlRule.schema, required: false, description: 'Only where it was given.' })
  cancel_url?: string;

  @Timestamp(undefined, { example: '2026-03-02T09:30:00.000Z' }) expires_at: string;
  @Timestamp() updated_at: string;
}

export class PaymentAttemptResponse {
  @Timestamp() created_at: string;

  @ResponseField({
    enum: attemptMethods,
    description:
      '`simulation`: on the page of the sandbox, or by a test. `hosted_checkout`: on the page of the processor. `reported`: outside of the service.',
  })
  method: PaymentAttempt['method'];

  @ResponseField({ enum: attemptOutcomes }) outcome: PaymentAttempt['outcome'];

  @ResponseField({
    nullable: true,
    example: 'insufficient_funds',
    description: 'Why it was declined, or failed: a sentence, or the code of the processor.',
  })
  reason: string | null;
}

/** A payment request that is retrieved by its id. */
export class RetrievedPaymentRequestResponse extends PaymentRequestResponse {
  @ResponseField({
    required: false,
    example: 'The payment was declined 5 times.',
    description: 'Why the payment request failed. Only of a failed one.',
  })
  failure_reason?: string;

  @ResponseField({
    type: [PaymentAttemptResponse],
    required: false,
    description: 'The attempts to pay it, oldest first. Only where there are some.',
  })
  attempts?: PaymentAttemptResponse[];
}

/** A payment request in an event: without its link, with which anyone can pay. */
export class PaymentRequestEventObject extends OmitType(PaymentRequestResponse, ['payment_url']) {}

export class PaymentRequestsResponse extends CursorListResponse(
  CreatedPaymentRequestResponse,
  PaymentRequestResponse,
) {}

export class PaymentRequestStatusResponse {
  @IdResponseField('pay') id: string;
  @ResponseField({ enum: paymentRequestLifecycle.states }) status: PaymentRequestStatus;
  @AmountResponseField() amount: number;
  @CurrencyResponseField() currency: string;
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;
  @Timestamp() updated_at: string;
}

export class CanceledPaymentRequestResponse extends CanceledResponse('pay', 'payment request') {}

export function createdPaymentRequestResponse(
  request: ReadonlyPaymentRequest,
  links: PaymentLinks,
): CreatedPaymentRequestResponse {
  return describeTerms(request, { payment_url: links.to(request.secret) });
}

export function paymentRequestResponse(
  request: ReadonlyPaymentRequest,
  links: PaymentLinks,
): PaymentRequestResponse {
  return describeTerms(request, { payment_url: links.to(request.secret), ...describeState(request) });
}

export function retrievedPaymentRequestResponse(
  request: ReadonlyPaymentRequest,
  links: PaymentLinks,
): RetrievedPaymentRequestResponse {
  const { failureReason, attempts } = request;
  return {
    ...paymentRequestResponse(request, links),
    ...(failureReason !== null && { failure_reason: failureReason }),
    ...(attempts.length > 0 && { attempts: attempts.map(paymentAttemptResponse) }),
  };
}

function paymentAttemptResponse(attempt: PaymentAttempt): PaymentAttemptResponse {
  const { createdAt, method, outcome, reason } = attempt;
  return { created_at: createdAt, method, outcome, reason };
}

export function paymentRequestEventObject(request: ReadonlyPaymentRequest): PaymentRequestEventObject {
  return describeTerms(request, describeState(request));
}

function describeTerms<Members extends object>(request: ReadonlyPaymentRequest, others: Members) {
  const { customerEmail, reference, metadata } = request;
  const members = { customer_email: customerEmail, reference, metadata, ...splitsMember(request), ...others };
  return accountOwnedAmountResponse(request, members);
}

function describeState(request: ReadonlyPaymentRequest) {
  const { transactionId, expiresAt, updatedAt } = request;
  return {
    expires_at: expiresAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    ...(transactionId !== null && { transaction_id: transactionId }),
    ...returnUrlMembers(request),
  };
}

export function paymentRequestsResponse(
  page: CursorPage<ReadonlyPaymentRequest>,
  links: PaymentLinks,
  view: 'full' | undefined,
): PaymentRequestsResponse {
  const toResponse = view === 'full' ? paymentRequestResponse : createdPaymentRequestResponse;
  return cursorListResponse(page, (request) => toResponse(request, links));
}

export function paymentRequestStatusResponse(request: ReadonlyPaymentRequest): PaymentRequestStatusResponse {
  const { id, status, amount, currency, reference, updatedAt } = request;
  return { id, status, amount, currency, reference, updated_at: updatedAt.toISOString() };
}
