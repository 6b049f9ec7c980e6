import { EntitySchema } from 'typeorm';
import { safeBigint } from '../../../platform/database/table';
import { intervals } from '../domain/schedule';
import { Subscription } from '../domain/subscription';
import { subscriptionLifecycle } from '../domain/subscription.lifecycle';

/** Stored under the account: the primary key serves its list in order, and the table can be spread by account. */
export const subscriptionSchema = new EntitySchema<Subscription>({
  name: 'Subscription',
  target: Subscription,
  tableName: 'subscriptions',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    amount: { type: 'bigint', transformer: safeBigint, update: false },
    currency: { type: 'text', update: false },
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    interval: { type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    status: { type: 'text' },
    periods: { type: 'integer' },
    nextPaymentAt: { name: 'next_payment_at', type: 'timestamptz', precision: 3, nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    { expression: subscriptionLifecycle.sqlCheck('status') },
    { expression: `"interval" IN (${intervals.map((interval) => `'${interval}'`).join(', ')})` },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
    { expression: "(status = 'active') = (next_payment_at IS NOT NULL)" },
  ],
  indices: [
    { name: 'subscriptions_id', columns: ['id'] },
    { name: 'subscriptions_due', columns: ['nextPaymentAt', 'accountId'], where: "status = 'active'" },
    { name: 'subscriptions_active', columns: ['accountId'], where: "status = 'active'" },
  ],
});
