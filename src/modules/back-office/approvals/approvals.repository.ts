import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, MoreThan } from 'typeorm';
import type { AccountOwnedFilter } from '../../../platform/database/account-owned-repository';
import { accountOwnedColumns, AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database, Tx } from '../../../platform/database/database';
import { type ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount, safeBigint } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Approval, approvalLifecycle, approvalTypes } from './approval';

export type ApprovalFilter = AccountOwnedFilter<Approval>;

const approvalListFilters: ListFilters = {
  prefix: 'apr',
  table: 'approvals',
  keys: {},
  enums: {
    status: { column: 'status', values: approvalLifecycle.states },
    type: { column: 'type', values: approvalTypes },
  },
};

export const approvalSchema = new EntitySchema<Approval>({
  name: 'Approval',
  target: Approval,
  tableName: 'approvals',
  columns: {
    ...accountOwnedColumns,
    type: { type: 'text', update: false },
    objectId: { name: 'object_id', type: 'text', update: false },
    details: { type: 'json', update: false },
    reason: { type: 'text', update: false },
    requestedBy: { name: 'requested_by', type: 'text', update: false },
    decidedBy: { name: 'decided_by', type: 'text', nullable: true },
    rejectionReason: { name: 'rejection_reason', type: 'text', nullable: true },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    eventCount,
  },
  checks: [{ expression: approvalLifecycle.sqlCheck('status') }],
  indices: [
    ...listIndices(approvalListFilters),
    { name: 'approvals_due', columns: ['expiresAt'], where: "status = 'pending'" },
  ],
});

/** What an admin has moved in an account without an approval, on the last day on which the admin did. */
class UnapprovedAmount {
  readonly accountId: string;
  readonly adminId: string;
  /** In UTC, for example 2026-11-23. */
  readonly day: string;
  /** Minor units. */
  readonly amount: number;
}

export const unapprovedAmountSchema = new EntitySchema<UnapprovedAmount>({
  name: 'UnapprovedAmount',
  target: UnapprovedAmount,
  tableName: 'unapproved_amounts',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    adminId: { name: 'admin_id', type: 'text', primary: true },
    day: { type: 'date' },
    amount: { type: 'bigint', transformer: safeBigint },
  },
});

@Injectable()
export class ApprovalsRepository extends AccountOwnedTable<Approval, ApprovalFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, approvalSchema, approvalListFilters, events);
  }

  /** Finds an approval that is pending for an object, which `tx` has locked. */
  async findPending(
    tx: Tx,
    { accountId, objectId, type }: Pick<Approval, 'accountId' | 'objectId' | 'type'>,
    now: Date,
  ): Promise<string | null> {
    const where = { accountId, objectId, type, status: 'pending', expiresAt: MoreThan(now) } as const;
    return (await tx.repository(approvalSchema).findOneBy(where))?.id ?? null;
  }

  /** Finds approvals that have been pending for too long, the earliest first, without locks. */
  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'expires_at', where: `status = 'pending'` }, now, excludedIds, limit);
  }

  /** Adds an amount to the sum of the day, unless that would exceed the limit. @returns whether it was added */
  async addUnapproved(
    tx: Tx,
    { accountId, adminId, day, amount }: UnapprovedAmount,
    limit: number,
  ): Promise<boolean> {
    const sum = 'CASE WHEN sums.day = excluded.day THEN sums.amount ELSE 0 END + excluded.amount';
    const sql = `INSERT INTO unapproved_amounts AS sums (account_id, admin_id, day, amount) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (account_id, admin_id) DO UPDATE SET day = excluded.day, amount = ${sum}
                 WHERE ${sum} <= $5 RETURNING amount`;
    return (await tx.query(sql, [accountId, adminId, day, amount, limit])).length > 0;
  }
}
