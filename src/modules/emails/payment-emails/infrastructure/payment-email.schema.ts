import { EntitySchema } from 'typeorm';
import { PaymentEmail } from '../domain/payment-email';

export const paymentEmailSchema = new EntitySchema<PaymentEmail>({
  name: 'PaymentEmail',
  target: PaymentEmail,
  tableName: 'payment_emails',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    paymentRequestId: { name: 'payment_request_id', type: 'text', primary: true },
    kind: { type: 'text', primary: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    traceparent: { type: 'text', nullable: true },
    sentAt: { name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  checks: [{ expression: "kind IN ('request', 'receipt')" }],
  indices: [{ name: 'payment_emails_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' }],
});
