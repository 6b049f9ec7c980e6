import { EntitySchema } from 'typeorm';
import { accountOwnedColumns } from '../../../../platform/database/account-owned-table';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { listIndices } from '../../../../platform/database/lists/list-filters';
import { eventCount } from '../../../../platform/database/table';
import { Adjustment, adjustmentDirections } from '../domain/adjustment';
import { adjustmentLifecycle } from '../domain/adjustment.lifecycle';

export const adjustmentListFilters: ListFilters<'reference' | 'status'> = {
  prefix: 'adj',
  table: 'adjustments',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: { status: { column: 'status', values: adjustmentLifecycle.states } },
};

export const adjustmentSchema = new EntitySchema<Adjustment>({
  name: 'Adjustment',
  target: Adjustment,
  tableName: 'adjustments',
  columns: {
    ...accountOwnedColumns,
    // The audit of the ledger reads the direction of a row from its column `type`.
    direction: { name: 'type', type: 'text', update: false },
    reason: { type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    createdBy: { name: 'created_by', type: 'text', update: false },
    approvalId: { name: 'approval_id', type: 'text', nullable: true, update: false },
    eventCount,
  },
  checks: [
    { expression: adjustmentLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
    { expression: `type IN (${adjustmentDirections.map((direction) => `'${direction}'`).join(', ')})` },
  ],
  indices: listIndices(adjustmentListFilters),
});
