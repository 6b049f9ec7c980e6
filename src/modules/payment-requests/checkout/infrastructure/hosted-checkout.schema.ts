import { EntitySchema } from 'typeorm';
import { HostedCheckout } from '../domain/hosted-checkout';
import { hostedCheckoutLifecycle } from '../domain/hosted-checkout.lifecycle';

export const hostedCheckoutSchema = new EntitySchema<HostedCheckout>({
  name: 'HostedCheckout',
  target: HostedCheckout,
  tableName: 'hosted_checkouts',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true, update: false },
    paymentRequestId: { name: 'payment_request_id', type: 'text', primary: true, update: false },
    attempt: { type: 'integer' },
    processorReference: { name: 'processor_reference', type: 'text', nullable: true },
    status: { type: 'text' },
    title: { type: 'text' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [{ expression: hostedCheckoutLifecycle.sqlCheck('status') }],
  indices: [{ name: 'hosted_checkouts_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' }],
});
