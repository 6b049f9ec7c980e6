import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { AccountOwnedFilter } from '../../../platform/database/account-owned-repository';
import {
  accountOwnedColumns,
  AccountOwnedTable,
  amountColumns,
} from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Adjustment, adjustmentDirections, adjustmentLifecycle } from './adjustment';

export type AdjustmentFilter = AccountOwnedFilter<Adjustment>;

const listFilters: ListFilters = {
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
    ...amountColumns,
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
  indices: listIndices(listFilters),
});

/** In SQL like every list with a cursor and all that is queued under the lock of its account. */
@Injectable()
export class AdjustmentsRepository extends AccountOwnedTable<Adjustment, AdjustmentFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, adjustmentSchema, listFilters, events);
  }
}
