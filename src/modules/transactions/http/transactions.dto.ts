import { CursorPage } from '../../../kernel/pages';
import { Metadata } from '../../../kernel/metadata';
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
import { Cursor, DateBound, QueryInteger } from '../../../platform/http/query-fields';
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

export class ListTransactionsQuery {
  @OneOf(transactionLifecycle.states, { optional: true, description: 'Only transactions of this status.' })
  status?: TransactionStatus;

  @OneOf(transactionTypes, { optional: true, description: 'Only transactions of this type.' })
  type?: TransactionType;

  @QueryInteger(20, 100, 'Transactions per page.')
  limit: number = 20;

  @Cursor('txn', 'Transactions older than this one.')
  starting_after?: string;

  @Cursor('txn', 'Transactions newer than this one, the nearest to it.')
  ending_before?: string;

  @DateBound('first', 'Created then or later.')
  date_from?: Date;

  @DateBound('last', 'Created then or earlier.')
  date_to?: Date;

  @Id('acc', { optional: true, description: 'Only transactions of this account.' })
  account_id?: string;

  @Text(0, 255, 'invoice-2041', { optional: true, description: 'Only transactions with this reference.' })
  reference?: string;
}

export class TransactionItemAnswer {
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

export class TransactionsAnswer {
  @Shown({ type: 'string', enum: ['list'] })
  object: 'list';

  @Shown({ type: [TransactionItemAnswer] })
  data: TransactionItemAnswer[];

  @Shown({ type: 'boolean', example: true, description: 'Whether the list goes on in the direction walked.' })
  has_more: boolean;
}

export class CanceledTransactionAnswer {
  @Shown({ type: 'string', example: exampleId('txn') })
  id: string;

  @Shown({ type: 'string', enum: ['canceled'] })
  status: 'canceled';

  @Moment()
  canceled_at: string;

  @Shown({ type: 'string', example: 'The transaction was canceled.' })
  message: string;
}

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

export function transactionsAnswer({ items, hasMore }: CursorPage<Transaction>): TransactionsAnswer {
  return { object: 'list', data: items.map(item), has_more: hasMore };
}

/** Nothing changes a canceled transaction but its annotations, so the time of the cancel is that of the change. */
export function canceledTransactionAnswer({ id, updatedAt }: Transaction): CanceledTransactionAnswer {
  return {
    id,
    status: 'canceled',
    canceled_at: updatedAt.toISOString(),
    message: 'The transaction was canceled.',
  };
}
