import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { AccountOwnedFilter, Backlog } from '../../../platform/database/account-owned-repository';
import {
  accountOwnedColumns,
  AccountOwnedTable,
  amountColumns,
} from '../../../platform/database/account-owned-table';
import { Database, Tx } from '../../../platform/database/database';
import { ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import {
  rejectionReasons,
  UnappliedPayment,
  unappliedPaymentLifecycle,
  UnappliedPaymentStatus,
} from './unapplied-payment';

export type UnappliedPaymentFilter = AccountOwnedFilter<UnappliedPayment>;

const listFilters: ListFilters = {
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
    ...amountColumns,
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
    ...listIndices(listFilters),
    {
      name: 'unapplied_payments_reference',
      columns: ['accountId', 'processorReference'],
      unique: true,
      where: 'processor_reference IS NOT NULL',
    },
    { name: 'unapplied_payments_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
  ],
});

@Injectable()
export class UnappliedPaymentsRepository extends AccountOwnedTable<UnappliedPayment, UnappliedPaymentFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, unappliedPaymentSchema, listFilters, events);
  }

  /** Whether a payment with that id of the processor is recorded. `tx` must have locked the account. */
  async isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean> {
    const payments = tx.repository(unappliedPaymentSchema);
    return (await payments.findOneBy({ accountId, processorReference })) !== null;
  }

  /** Whether any payment for a payment request is recorded. */
  async existsFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    const payments = this.database.repository(unappliedPaymentSchema);
    return (await payments.findOneBy({ accountId, paymentRequestId })) !== null;
  }

  /** Counts the payments with a status in all accounts. */
  backlog(status: UnappliedPaymentStatus): Promise<Backlog> {
    return this.backlogOf({ status });
  }

  /** Finds payments that are due to be returned, the earliest first, without locks. */
  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'due_at' }, now, excludedIds, limit);
  }
}
