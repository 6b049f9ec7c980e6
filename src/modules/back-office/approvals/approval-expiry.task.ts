import { Injectable } from '@nestjs/common';
import { AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { ApprovalKinds } from './approval-kinds';
import { ApprovalsRepository } from './approvals.repository';
import { describeAction } from './approval';

/** The periodic task that ends approvals which nobody has decided in time. */
@Injectable()
export class ApprovalExpiry implements DueItemTask {
  readonly name = 'approvals';
  readonly wokenBy = ['approvals'];
  readonly batchSize = 20;

  constructor(
    private readonly database: Database,
    private readonly repository: ApprovalsRepository,
    private readonly kinds: ApprovalKinds,
    private readonly audit: AuditTrail,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      for (const id of ids) {
        const approval = await this.repository.lock(tx, accountId, id);
        if (!approval?.isDue(now)) continue;
        approval.expire(now);
        this.repository.save(tx, approval);
        await this.kinds.get(approval.type).dismiss?.(tx, approval, now);
        this.audit.record(tx, systemActor, describeAction('approval.expire', approval, null));
      }
    });
  }
}
