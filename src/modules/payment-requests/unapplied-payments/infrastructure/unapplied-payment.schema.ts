import { EntitySchema } from 'typeorm';
import { accountOwnedColumns } from '../../../../platform/database/account-owned-table';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { listIndices } from '../../../../platform/database/lists/list-filters';
import { eventCount } from '../../../../platform/database/table';
import { rejectionReasons, UnappliedPayment } from '../domain/unapplied-payment';
import { unappliedPaymentLifecycle } from '../domain/unapplied-payment.lifecycle';

export const unappliedPaymentListFilters: ListFilters<'status' | 'reason'> = {
  prefix: 'unp',
  table: 'unapplied_payments',
  keys: {},
  enums: {
    status: { column: 'status', values: unappliedPaymentLifecycle.states },
    reason: { column: 'reason', values: rejectionReasons },
  },
};

export const unappliedPaymentSchema = new EntitySchema<UnappliedPayment>({
  name: 'UnappliedPayment',
  target: UnappliedPayment,
  tableName: 'unapplied_payments',
  columns: {
    ...accountOwnedColumns,
    paymentRequestId: { name: 'payment_request_id', type: 'text', update: false },
    processorReference: { name: 'processor_reference', type: 'text', nullable: true, update: false },
    reason: { type: 'text', update: false },
    failureReason: { name: 'failure_reason', type: 'text', nullable: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    attempts: { type: 'integer' },
    round: { type: 'integer' },
    returnedAt: { name: 'returned_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [
    { expression: unappliedPaymentLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    ...listIndices(unappliedPaymentListFilters),
    {
      name: 'unapplied_payments_reference',
      columns: ['accountId', 'processorReference'],
      unique: true,
      where: 'processor_reference IS NOT NULL',
    },
    { name: 'unapplied_payments_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
  ],
});
