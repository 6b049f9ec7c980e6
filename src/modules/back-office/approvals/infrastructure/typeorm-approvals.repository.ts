import { Injectable } from '@nestjs/common';
import { DataSource, MoreThan } from 'typeorm';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { Approval } from '../domain/approval';
import { ApprovalFilter, ApprovalsRepository } from '../domain/approvals.repository';
import { approvalListFilters, approvalSchema } from './approval.schema';

@Injectable()
export class TypeormApprovalsRepository
  extends AccountOwnedTable<Approval, ApprovalFilter>
  implements ApprovalsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, approvalSchema, approvalListFilters, events);
  }

  async findPending(
    tx: Tx,
    { accountId, objectId, type }: Pick<Approval, 'accountId' | 'objectId' | 'type'>,
    now: Date,
  ): Promise<string | null> {
    const where = { accountId, objectId, type, status: 'pending', expiresAt: MoreThan(now) } as const;
    return (await tx.repository(approvalSchema).findOneBy(where))?.id ?? null;
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'expires_at', where: `status = 'pending'` }, now, excludedIds, limit);
  }
}
