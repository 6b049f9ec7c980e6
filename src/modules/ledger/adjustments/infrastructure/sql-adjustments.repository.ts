import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { Adjustment } from '../domain/adjustment';
import { AdjustmentFilter, AdjustmentsRepository } from '../domain/adjustments.repository';
import { adjustmentListFilters, adjustmentSchema } from './adjustment.schema';

/** In SQL like every list with a cursor and all that is queued under the lock of its account. */
@Injectable()
export class SqlAdjustmentsRepository
  extends AccountOwnedTable<Adjustment, AdjustmentFilter>
  implements AdjustmentsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, adjustmentSchema, adjustmentListFilters, events);
  }
}
