import { EntitySchema } from 'typeorm';
import { accountOwnedColumns } from '../../../platform/database/account-owned-table';
import type { ListFilters } from '../../../platform/database/lists/list-filters';
import { listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount } from '../../../platform/database/table';
import { PaymentRequest } from '../domain/payment-request';
import { paymentRequestLifecycle } from '../domain/payment-request.lifecycle';

export const paymentRequestListFilters: ListFilters<'customerEmail' | 'reference' | 'status'> = {
  prefix: 'pay',
  table: 'payment_requests',
  keys: {
    customerEmail: { column: 'customer_email', expression: (email) => `lower(${email})` },
    reference: { column: 'reference', nullable: true },
  },
  enums: { status: { column: 'status', values: paymentRequestLifecycle.states } },
  selective: { idSuffix: { column: 'id', expression: (id) => `right(${id}, 10)` } },
  amounts: true,
};

export const paymentRequestSchema = new EntitySchema<PaymentRequest>({
  name: 'PaymentRequest',
  target: PaymentRequest,
  tableName: 'payment_requests',
  columns: {
    ...accountOwnedColumns,
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    secret: { type: 'text', update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    declines: { type: 'integer', default: 0 },
    transactionId: { name: 'transaction_id', type: 'text', nullable: true },
    processingSince: { name: 'processing_since', type: 'timestamptz', precision: 3, nullable: true },
    settlesAt: { name: 'settles_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    dueOutcome: { name: 'due_outcome', type: 'text', nullable: true, update: false },
    eventCount,
  },
  checks: [
    { expression: paymentRequestLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    ...listIndices(paymentRequestListFilters),
    // An expression, which TypeORM cannot declare.
    { name: 'payment_requests_id_suffix', columns: ['id'], synchronize: false },
    { name: 'payment_requests_secret', columns: ['secret'] },
    { name: 'payment_requests_due', columns: ['expiresAt', 'accountId'], where: "status = 'pending'" },
    {
      name: 'payment_requests_settling',
      columns: ['settlesAt', 'accountId'],
      where: "status = 'pending' AND settles_at IS NOT NULL",
    },
    { name: 'payment_requests_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});
