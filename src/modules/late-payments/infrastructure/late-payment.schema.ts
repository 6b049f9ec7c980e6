import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import { LatePayment } from '../domain/late-payment';
import { latePaymentLifecycle } from '../domain/late-payment.lifecycle';

/** Stored under the account: the primary key serves its list in order, and the table can be spread by account. */
export const latePaymentSchema = new EntitySchema<LatePayment>({
  name: 'LatePayment',
  target: LatePayment,
  tableName: 'late_payments',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    paymentRequestId: { name: 'payment_id', type: 'text', update: false },
    amount: { type: 'bigint', transformer: safeBigint, update: false },
    currency: { type: 'text', update: false },
    providerReference: { name: 'processor_reference', type: 'text', nullable: true, update: false },
    reason: { type: 'text', update: false },
    status: { type: 'text' },
    failure: { type: 'text', nullable: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    attempts: { type: 'integer' },
    round: { type: 'integer' },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    returnedAt: { name: 'returned_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  checks: [
    { expression: latePaymentLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    { name: 'late_payments_id', columns: ['id'] },
    {
      name: 'late_payments_reference',
      columns: ['accountId', 'providerReference'],
      unique: true,
      where: 'processor_reference IS NOT NULL',
    },
    { name: 'late_payments_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
  ],
});
