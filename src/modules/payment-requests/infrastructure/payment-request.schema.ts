import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import { PaymentRequest } from '../domain/payment-request';
import { paymentRequestLifecycle } from '../domain/payment-request.lifecycle';

/** Stored under the account: the primary key serves its list in order, and the table can be spread by account. */
export const paymentRequestSchema = new EntitySchema<PaymentRequest>({
  name: 'PaymentRequest',
  target: PaymentRequest,
  tableName: 'payment_requests',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    amount: { type: 'bigint', transformer: safeBigint, update: false },
    currency: { type: 'text', update: false },
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    secret: { type: 'text', update: false },
    status: { type: 'text' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    declines: { type: 'integer', default: 0 },
    transactionId: { name: 'transaction_id', type: 'text', nullable: true },
    mailDueAt: { name: 'mail_due_at', type: 'timestamptz', precision: 3, nullable: true },
    requestMailedAt: {
      name: 'request_mailed_at',
      type: 'timestamptz',
      precision: 3,
      nullable: true,
      update: false,
    },
    receiptMailedAt: {
      name: 'receipt_mailed_at',
      type: 'timestamptz',
      precision: 3,
      nullable: true,
      update: false,
    },
    checkout: { type: 'jsonb', nullable: true },
    checkoutDueAt: { name: 'checkout_due_at', type: 'timestamptz', precision: 3, nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    { expression: paymentRequestLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    { name: 'payment_requests_id', columns: ['id'] },
    { name: 'payment_requests_secret', columns: ['secret'] },
    { name: 'payment_requests_due', columns: ['expiresAt', 'accountId'], where: "status = 'pending'" },
    {
      name: 'payment_requests_mail_due',
      columns: ['mailDueAt', 'accountId'],
      where: 'mail_due_at IS NOT NULL',
    },
    { name: 'payment_requests_checkout', columns: ['checkoutDueAt'], where: 'checkout_due_at IS NOT NULL' },
    { name: 'payment_requests_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});
