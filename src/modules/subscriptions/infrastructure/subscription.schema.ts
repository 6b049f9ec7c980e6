import { EntitySchema } from 'typeorm';
import { accountOwnedColumns } from '../../../platform/database/account-owned-table';
import type { ListFilters } from '../../../platform/database/lists/list-filters';
import { listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount } from '../../../platform/database/table';
import { intervals } from '../domain/schedule';
import { Subscription } from '../domain/subscription';
import { subscriptionLifecycle } from '../domain/subscription.lifecycle';

export const subscriptionListFilters: ListFilters<'customerEmail' | 'reference' | 'status'> = {
  prefix: 'sub',
  table: 'subscriptions',
  keys: {
    customerEmail: { column: 'customer_email', expression: (email) => `lower(${email})` },
    reference: { column: 'reference', nullable: true },
  },
  enums: { status: { column: 'status', values: subscriptionLifecycle.states } },
};

export const subscriptionSchema = new EntitySchema<Subscription>({
  name: 'Subscription',
  target: Subscription,
  tableName: 'subscriptions',
  columns: {
    ...accountOwnedColumns,
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    interval: { type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    periods: { type: 'integer' },
    nextPaymentAt: { name: 'next_payment_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [
    { expression: subscriptionLifecycle.sqlCheck('status') },
    { expression: `"interval" IN (${intervals.map((interval) => `'${interval}'`).join(', ')})` },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
    { expression: "(status = 'active') = (next_payment_at IS NOT NULL)" },
  ],
  indices: [
    ...listIndices(subscriptionListFilters),
    { name: 'subscriptions_due', columns: ['nextPaymentAt', 'accountId'], where: "status = 'active'" },
    { name: 'subscriptions_active', columns: ['accountId'], where: "status = 'active'" },
  ],
});
