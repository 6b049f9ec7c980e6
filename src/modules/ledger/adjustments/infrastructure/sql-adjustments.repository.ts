import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { Adjustment } from '../domain/adjustment';
import { AdjustmentFilter, AdjustmentsRepository } from '../domain/adjustments.repository';
import { adjustmentListFilters, adjustmentSchema } from './adjustment.schema';

@Injectable()
export class TypeormAdjustmentsRepository
  extends AccountOwnedTable<Adjustment, AdjustmentFilter>
  implements AdjustmentsRepository
{
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, adjustmentSchema, adjustmentListFilters);
  }
}
