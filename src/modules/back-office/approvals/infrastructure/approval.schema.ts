import { EntitySchema } from 'typeorm';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { listIndices } from '../../../../platform/database/lists/list-filters';
import { eventCount } from '../../../../platform/database/table';
import { Approval, approvalTypes } from '../domain/approval';
import { approvalLifecycle } from '../domain/approval.lifecycle';

export const approvalListFilters: ListFilters<'status' | 'type'> = {
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
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    type: { type: 'text', update: false },
    objectId: { name: 'object_id', type: 'text', update: false },
    details: { type: 'json', update: false },
    reason: { type: 'text', update: false },
    status: { type: 'text' },
    requestedBy: { name: 'requested_by', type: 'text', update: false },
    decidedBy: { name: 'decided_by', type: 'text', nullable: true },
    rejectionReason: { name: 'rejection_reason', type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    eventCount,
  },
  checks: [{ expression: approvalLifecycle.sqlCheck('status') }],
  indices: [
    ...listIndices(approvalListFilters),
    { name: 'approvals_due', columns: ['expiresAt'], where: "status = 'pending'" },
  ],
});
