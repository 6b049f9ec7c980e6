import { EntitySchema } from 'typeorm';
import { accountOwnedColumns } from '../../../platform/database/account-owned-table';
import type { ListFilters } from '../../../platform/database/lists/list-filters';
import { listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount, safeBigint } from '../../../platform/database/table';
import { Transaction, transactionTypes } from '../domain/transaction';
import { transactionLifecycle } from '../domain/transaction.lifecycle';

export const transactionListFilters: ListFilters<'reference' | 'sourceTransactionId' | 'status' | 'type'> = {
  prefix: 'txn',
  table: 'transactions',
  keys: {
    reference: { column: 'reference', nullable: true },
    // Only refunds have one, so only they write entries of its indexes.
    sourceTransactionId: { column: 'source_transaction_id', shortName: 'source', nullable: true },
  },
  enums: {
    status: { column: 'status', values: transactionLifecycle.states },
    type: { column: 'type', values: transactionTypes },
  },
  amounts: true,
};

export const transactionSchema = new EntitySchema<Transaction>({
  name: 'Transaction',
  target: Transaction,
  tableName: 'transactions',
  columns: {
    ...accountOwnedColumns,
    type: { type: 'text', update: false },
    reference: { type: 'text', nullable: true },
    firstReference: { name: 'first_reference', type: 'text', nullable: true },
    metadata: { type: 'jsonb', default: {} },
    sourceTransactionId: { name: 'source_transaction_id', type: 'text', nullable: true, update: false },
    paymentRequestId: { name: 'payment_request_id', type: 'text', nullable: true, update: false },
    refunded: { type: 'bigint', transformer: safeBigint, default: 0 },
    settlesAt: { name: 'settles_at', type: 'timestamptz', precision: 3, nullable: true },
    dueOutcome: { name: 'due_outcome', type: 'text', nullable: true },
    failureReason: { name: 'failure_reason', type: 'text', nullable: true },
    processorReference: { name: 'processor_reference', type: 'text', nullable: true },
    sendAt: { name: 'send_at', type: 'timestamptz', precision: 3, nullable: true },
    approvalId: { name: 'approval_id', type: 'text', nullable: true },
    approvedAt: { name: 'approved_at', type: 'timestamptz', precision: 3, nullable: true },
    countedAdminId: { name: 'counted_admin_id', type: 'text', nullable: true, update: false },
    sentAt: { name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [
    { expression: transactionLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
    { expression: 'refunded BETWEEN 0 AND amount' },
  ],
  indices: [
    ...listIndices(transactionListFilters),
    {
      name: 'transactions_due',
      columns: ['settlesAt', 'accountId'],
      where: "status = 'pending' AND settles_at IS NOT NULL",
    },
    { name: 'transactions_to_send', columns: ['sendAt'], where: 'send_at IS NOT NULL' },
    { name: 'transactions_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});
