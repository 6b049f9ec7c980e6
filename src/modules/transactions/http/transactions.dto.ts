import { CursorPage } from '../../../kernel/pages';
import { Metadata } from '../../../kernel/metadata';
import { canceledAnswer, CanceledAnswer } from '../../../platform/http/canceled-answer';
import { CursorListAnswer, cursorListAnswer, CursorListQuery } from '../../../platform/http/cursor-list';
import {
  Amount,
  Currency,
  exampleId,
  Fixed,
  Id,
  MetadataField,
  Moment,
  OneOf,
  Reference,
  Shown,
  Text,
} from '../../../platform/http/fields';
import { Outcome, outcomes } from '../domain/birth';
import { Transaction, TransactionType, transactionTypes } from '../domain/transaction';
import { transactionLifecycle, TransactionStatus } from '../domain/transaction.lifecycle';

export class CreateTransactionRequest {
  @Id('acc')
  account_id: string;

  @Amount()
  amount: number;

  @Currency()
  currency: string;

  @OneOf(transactionTypes)
  type: TransactionType;

  @Reference()
  reference?: string | null;

  @MetadataField()
  metadata?: Metadata | null;

  /** Of a refund: the succeeded payment that it pays back. */
  @Id('txn', { optional: true })
  source_transaction_id?: string;
}

export class SettleTransactionRequest {
  @OneOf(outcomes)
  outcome: Outcome;

  @Text(1, 255, 'the bank refused the transfer', { optional: true })
  failure_reason?: string;
}

export class UpdateTransactionRequest {
  @Fixed('conflict')
  amount?: never;

  @Fixed('conflict')
  currency?: never;

  @Fixed('conflict')
  type?: never;

  @Reference()
  reference?: string | null;

  @MetadataField()
  metadata?: Metadata | null;
}

export class ListTransactionsQuery extends CursorListQuery('txn', 'transactions') {
  @OneOf(transactionLifecycle.states, { optional: true, description: 'Only transactions of this status.' })
  status?: TransactionStatus;

  @OneOf(transactionTypes, { optional: true, description: 'Only transactions of this type.' })
  type?: TransactionType;
}

class TransactionItemAnswer {
  @Shown({ type: 'string', example: exampleId('txn') })
  id: string;

  @Shown({ type: 'string', example: exampleId('acc') })
  account_id: string;

  @Shown({ type: 'integer', example: 1250, description: 'Minor units.' })
  amount: number;

  @Shown({ type: 'string', example: 'USD' })
  currency: string;

  @Shown({ type: 'string', enum: [...transactionTypes] })
  type: TransactionType;

  @Shown({ type: 'string', enum: [...transactionLifecycle.states] })
  status: TransactionStatus;

  @Moment()
  created_at: string;
}

export class CreatedTransactionAnswer extends TransactionItemAnswer {
  @Shown({ type: 'string', nullable: true, example: 'invoice-2041' })
  reference: string | null;

  @Shown({ type: 'object', additionalProperties: true, example: { order: '2041' } })
  metadata: Metadata;

  @Shown({
    type: 'string',
    required: false,
    example: exampleId('txn'),
    description: 'Only of a refund that named the payment it pays back.',
  })
  source_transaction_id?: string;
}

export class TransactionAnswer extends CreatedTransactionAnswer {
  @Moment()
  updated_at: string;
}

export class TransactionsAnswer extends CursorListAnswer(TransactionItemAnswer) {}

export class CanceledTransactionAnswer extends CanceledAnswer('txn', 'transaction') {}

function item({
  id,
  accountId,
  amount,
  currency,
  type,
  status,
  createdAt,
}: Transaction): TransactionItemAnswer {
  return { id, account_id: accountId, amount, currency, type, status, created_at: createdAt.toISOString() };
}

export function createdTransactionAnswer(transaction: Transaction): CreatedTransactionAnswer {
  const { reference, metadata, sourceTransactionId } = transaction;
  return {
    ...item(transaction),
    reference,
    metadata,
    ...(sourceTransactionId !== null && { source_transaction_id: sourceTransactionId }),
  };
}

export function transactionAnswer(transaction: Transaction): TransactionAnswer {
  return { ...createdTransactionAnswer(transaction), updated_at: transaction.updatedAt.toISOString() };
}

export function transactionsAnswer(page: CursorPage<Transaction>): TransactionsAnswer {
  return cursorListAnswer(page, item);
}

export function canceledTransactionAnswer(transaction: Transaction): CanceledTransactionAnswer {
  return canceledAnswer(transaction, 'The transaction was canceled.');
}
