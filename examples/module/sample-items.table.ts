import { Injectable } from '@nestjs/common';
import {
  accountOwnedColumns,
  AccountOwnedFilter,
  AccountOwnedTable,
  Database,
  DueItem,
  eventCount,
  EventRecorder,
  ListFilters,
  listIndices,
} from 'countinghouse';
import { DataSource, EntitySchema } from 'typeorm';
import { SampleItem, sampleItemLifecycle } from './sample-item';

const listFilters: ListFilters = {
  prefix: 'smpl',
  table: 'sample_items',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: { status: { column: 'status', values: sampleItemLifecycle.states } },
};

const DUE = "status = 'active'";

export const sampleItemSchema = new EntitySchema<SampleItem>({
  name: 'SampleItem',
  target: SampleItem,
  tableName: 'sample_items',
  columns: {
    ...accountOwnedColumns,
    reference: { type: 'text', nullable: true, update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    eventCount,
  },
  // The name that PostgreSQL gives the constraint of the migration.
  checks: [{ name: 'sample_items_status_check', expression: sampleItemLifecycle.sqlCheck('status') }],
  indices: [
    ...listIndices(listFilters),
    { name: 'sample_items_due', columns: ['expiresAt', 'accountId'], where: DUE },
  ],
});

export type SampleItemFilter = AccountOwnedFilter<SampleItem>;

@Injectable()
export class SampleItemsTable extends AccountOwnedTable<SampleItem, SampleItemFilter> {
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, sampleItemSchema, listFilters, events);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<readonly DueItem[]> {
    return this.findDueBy({ column: 'expires_at', where: DUE }, now, excludedIds, limit);
  }
}
