import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { AccountOwnedFilter } from '../../platform/database/account-owned-repository';
import {
  accountOwnedColumns,
  AccountOwnedTable,
  amountColumns,
} from '../../platform/database/account-owned-table';
import { Database, ReadTx, Tx } from '../../platform/database/database';
import { ListFilters, listIndices } from '../../platform/database/lists/list-filters';
import { eventCount } from '../../platform/database/table';
import { EventRecorder } from '../../platform/events/event-recorder';
import { intervals, Subscription, subscriptionLifecycle } from './subscription';

export type SubscriptionFilter = AccountOwnedFilter<Subscription>;

export const subscriptionListFilters: ListFilters = {
  prefix: 'sub',
  table: 'subscriptions',
  keys: {
    customerEmail: { column: 'customer_email', expression: (email) => `lower(${email})` },
    reference: { column: 'reference', nullable: true },
  },
  enums: { status: { column: 'status', values: subscriptionLifecycle.states } },
  searched: 'reference',
};

export const subscriptionSchema = new EntitySchema<Subscription>({
  name: 'Subscription',
  target: Subscription,
  tableName: 'subscriptions',
  columns: {
    ...accountOwnedColumns,
    ...amountColumns,
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    interval: { type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    returnUrl: { name: 'return_url', type: 'text', nullable: true, update: false },
    cancelUrl: { name: 'cancel_url', type: 'text', nullable: true, update: false },
    splits: { type: 'jsonb', nullable: true, update: false },
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

/** In SQL, since lists have a cursor, what is due skips locked rows, and a hook reads the count through its ReadTx. */
@Injectable()
export class SubscriptionsRepository extends AccountOwnedTable<Subscription, SubscriptionFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, subscriptionSchema, subscriptionListFilters, events);
  }

  async countActive(tx: ReadTx, accountId: string): Promise<number> {
    const sql = `SELECT count(*)::integer AS count FROM subscriptions WHERE account_id = $1 AND status = 'active'`;
    const [row] = await tx.read<{ count: number }>(sql, [accountId]);
    return row!.count;
  }

  /** Locks those of a locked account whose next period has begun, in the order of `ids`. */
  async lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Subscription[]> {
    const found = await this.lockFree(tx, accountId, ids);
    return found.filter(
      ({ status, nextPaymentAt }) => status === 'active' && nextPaymentAt !== null && nextPaymentAt <= now,
    );
  }

  /** Finds active subscriptions whose next period has begun, the earliest first. */
  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'next_payment_at', where: "status = 'active'" }, now, excludedIds, limit);
  }
}
