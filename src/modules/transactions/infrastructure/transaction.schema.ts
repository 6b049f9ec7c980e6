import { EntitySchema } from 'typeorm';
import { minorUnits } from '../../../platform/database/table';
import { Transaction } from '../domain/transaction';
import { transactionLifecycle } from '../domain/transaction.lifecycle';

/** Stored under the account: the primary key serves its list in order, and the table can be spread by account. */
export const transactionSchema = new EntitySchema<Transaction>({
  name: 'Transaction',
  target: Transaction,
  tableName: 'transactions',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    amount: { type: 'bigint', transformer: minorUnits, update: false },
    currency: { type: 'text', update: false },
    type: { type: 'text', update: false },
    status: { type: 'text' },
    reference: { type: 'text', nullable: true },
    metadata: { type: 'jsonb', default: {} },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    { expression: transactionLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    { name: 'transactions_id', columns: ['id'] },
    { name: 'transactions_reference', columns: ['accountId', 'reference'], where: 'reference IS NOT NULL' },
    { name: 'transactions_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});
