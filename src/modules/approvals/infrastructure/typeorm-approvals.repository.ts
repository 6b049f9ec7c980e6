import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Approval } from '../domain/approval';
import { ApprovalFilter, ApprovalsRepository } from '../domain/approvals.repository';
import { approvalListFilters, approvalSchema } from './approval.schema';

@Injectable()
export class TypeormApprovalsRepository
  extends AccountOwnedTable<Approval, ApprovalFilter>
  implements ApprovalsRepository
{
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, approvalSchema, approvalListFilters);
  }

  async findPending(
    tx: Tx,
    { accountId, objectId, type }: Pick<Approval, 'accountId' | 'objectId' | 'type'>,
    now: Date,
  ): Promise<string | null> {
    const sql = `SELECT id FROM approvals
                 WHERE account_id = $1 AND object_id = $2 AND type = $3 AND status = 'pending' AND expires_at > $4
                 LIMIT 1`;
    const [row] = await tx.read<{ id: string }>(sql, [accountId, objectId, type, now]);
    return row?.id ?? null;
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'expires_at', where: `status = 'pending'` }, now, excludedIds, limit);
  }
}
