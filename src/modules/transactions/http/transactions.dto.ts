import { Metadata } from '../../../kernel/metadata';
import {
  AccountOwnedAmountResponse,
  accountOwnedAmountResponse,
  CreateAccountOwnedAmountRequest,
} from '../../../platform/http/account-owned-resource';
import { BatchedRequest, BatchedResponse, BatchRequest, BatchResponse } from '../../../platform/http/batches';
import {
  FormatParam,
  ListFormat,
  amountFilters,
  OrderParam,
  SortParam,
  CursorListQuery,
  referenceFilter,
  ViewParam,
} from '../../../platform/http/list-query';
import {
  booleanRule,
  EnumField,
  field,
  IdField,
  Immutable,
  MetadataField,
  ReferenceField,
  StringField,
} from '../../../platform/http/request-fields';
import {
  CursorListResponse,
  canceledResponse,
  CanceledResponse,
  AmountResponseField,
  exampleId,
  ResponseField,
  Timestamp,
  idSchema,
  nameEnum,
} from '../../../platform/http/response-fields';
import { Outcome, outcomes } from '../../processors';
import { Transaction, transactionLifecycle, TransactionType, transactionTypes } from '../domain/transaction';

nameEnum('TransactionType', transactionTypes);
nameEnum('TransactionStatus', transactionLifecycle.states);
nameEnum('TransactionOutcome', outcomes);

export class CreateTransactionRequest extends CreateAccountOwnedAmountRequest {
  @EnumField(transactionTypes) type: TransactionType;
  @MetadataField() metadata?: Metadata | null;

  @IdField('txn', {
    optional: true,
    description: 'The succeeded payment that a refund pays back.',
    inExample: false,
  })
  source_transaction_id?: string;

  @field(booleanRule, {
    optional: true,
    inExample: false,
    description:
      'With `source_transaction_id`: whether the refund takes back what other accounts got of the payment (`splits`), in proportion. By default the account pays the whole refund.',
  })
  reverse_splits?: boolean;
}

export class BatchedTransactionRequest extends BatchedRequest(CreateTransactionRequest) {}
export class CreateTransactionsRequest extends BatchRequest(BatchedTransactionRequest, 'transactions') {}

export class SettleTransactionRequest {
  @EnumField(outcomes) outcome: Outcome;

  @StringField(1, 255, 'The bank rejected the transfer.', { optional: true, inExample: false })
  failure_reason?: string;
}

export class UpdateTransactionRequest {
  @Immutable('conflict') amount?: never;
  @Immutable('conflict') currency?: never;
  @Immutable('conflict') type?: never;
  @ReferenceField() reference?: string | null;
  @MetadataField() metadata?: Metadata | null;
}

export class ListTransactionsQuery extends CursorListQuery('txn', 'transactions', {
  status: transactionLifecycle.states,
  type: transactionTypes,
  reference: referenceFilter,
  source_transaction_id: { maxCharacters: 64, example: exampleId('txn') },
  payment_request_id: { maxCharacters: 64, example: exampleId('pay') },
  ...amountFilters,
}) {
  @SortParam() sort?: 'created_at' | 'amount';
  @OrderParam() order?: 'asc' | 'desc';
  @FormatParam() format?: ListFormat;
  @ViewParam() view?: 'full';
}

class TransactionItemResponse extends AccountOwnedAmountResponse('txn', transactionLifecycle.states) {
  @ResponseField({ enum: transactionTypes }) type: TransactionType;
}

export class CreatedTransactionResponse extends TransactionItemResponse {
  @ResponseField({ nullable: true, example: 'invoice-2041' }) reference: string | null;

  @ResponseField({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @ResponseField({
    required: false,
    ...idSchema('txn'),
    description: 'The payment that a refund pays back. Only where the request named it.',
  })
  source_transaction_id?: string;

  @ResponseField({
    required: false,
    ...idSchema('apr'),
    description:
      'The approval of a second admin that the transaction waits or waited for. Only where an admin created it above the limit.',
  })
  approval_id?: string;
}

export class TransactionResponse extends CreatedTransactionResponse {
  @ResponseField({
    required: false,
    example: 'The bank rejected the transfer.',
    description:
      'Why the transaction failed. Only where a reason is known: it was reported, or the sandbox decided it.',
  })
  failure_reason?: string;

  @ResponseField({
    required: false,
    ...idSchema('pay'),
    description: 'The payment request that the payment paid. Only where there is one.',
  })
  payment_request_id?: string;

  @Timestamp() updated_at: string;
}

/** A transaction that is retrieved by its id. */
export class RetrievedTransactionResponse extends TransactionResponse {
  @AmountResponseField({
    required: false,
    description: 'The sum of the pending and succeeded refunds of a payment. Only where there are some.',
  })
  refunded_amount?: number;
}

export class TransactionsResponse extends CursorListResponse(TransactionItemResponse, TransactionResponse) {}

class BatchedTransactionResponse extends BatchedResponse(CreatedTransactionResponse, 'transaction') {}
export class TransactionBatchResponse extends BatchResponse(BatchedTransactionResponse) {}

export class CanceledTransactionResponse extends CanceledResponse('txn', 'transaction') {}

/** What an item of a list shows. */
export const transactionItemMembers = [
  'id',
  'accountId',
  'amount',
  'currency',
  'status',
  'type',
  'createdAt',
] as const satisfies readonly (keyof Transaction)[];
type TransactionItem = Pick<Transaction, (typeof transactionItemMembers)[number]>;

export function transactionItemResponse(transaction: TransactionItem): TransactionItemResponse {
  return accountOwnedAmountResponse(transaction, { type: transaction.type });
}

export function createdTransactionResponse(transaction: Transaction): CreatedTransactionResponse {
  return accountOwnedAmountResponse(transaction, createdMembers(transaction));
}

function createdMembers({ type, reference, metadata, sourceTransactionId, approvalId }: Transaction) {
  return {
    type,
    reference,
    metadata,
    ...(sourceTransactionId !== null && { source_transaction_id: sourceTransactionId }),
    ...(approvalId !== null && { approval_id: approvalId }),
  };
}

export function transactionResponse(transaction: Transaction): TransactionResponse {
  const { failureReason, paymentRequestId, updatedAt } = transaction;
  return accountOwnedAmountResponse(transaction, {
    updated_at: updatedAt.toISOString(),
    ...createdMembers(transaction),
    ...(failureReason !== null && { failure_reason: failureReason }),
    ...(paymentRequestId !== null && { payment_request_id: paymentRequestId }),
  });
}

export function retrievedTransactionResponse(transaction: Transaction): RetrievedTransactionResponse {
  const { refunded } = transaction;
  return { ...transactionResponse(transaction), ...(refunded > 0 && { refunded_amount: refunded }) };
}

export function canceledTransactionResponse(transaction: Transaction): CanceledTransactionResponse {
  return canceledResponse(transaction, 'The transaction was canceled.');
}
