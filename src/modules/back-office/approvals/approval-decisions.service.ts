import { Injectable } from '@nestjs/common';
import { AuditTrail, systemActor } from '../../../platform/audit/audit-trail';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { Principal } from '../../auth';
import { Approval, ApprovalKinds, describeAction } from './approval';
import { ApprovalRequests, ApprovingAdmins } from './approval-requests.service';
import { ApprovalsRepository } from './approvals.repository';

/** Approves and rejects what was asked for. */
@Injectable()
export class ApprovalDecisions {
  constructor(
    private readonly database: Database,
    private readonly requests: ApprovalRequests,
    private readonly repository: ApprovalsRepository,
    private readonly kinds: ApprovalKinds,
    private readonly audit: AuditTrail,
    private readonly admins: ApprovingAdmins,
  ) {}

  /**
   * Approves, and carries out what was asked for in the same database transaction. A repeat by the same admin has the
   * same response.
   * @param reason why, for the audit log
   * @throws DomainError `forbidden` for callers other than admins, and for the one who asked; `unauthorized` without a
   * recent login; `not_found`; `conflict` when it is decided or has expired, or the one who asked is no active admin any
   * more; both where somebody else has set the password of the admin in question; and whatever prevents the effect, after
   * which it is still pending
   */
  async approve(caller: Principal, id: string, reason: string | null = null): Promise<Readonly<Approval>> {
    for (;;) {
      const approval = await this.decide(caller, id, 'approved', async (tx, locked, now) => {
        locked.assertApprovableBy(caller.subjectId, now);
        await this.admins.assertTwo(tx, locked.requestedBy, caller.subjectId);
        if (!(await this.kinds.get(locked.type).execute(tx, locked, caller, now))) return false;
        locked.approve(caller.subjectId, now);
        this.repository.save(tx, locked);
        this.audit.record(tx, caller, describeAction('approval.approve', locked, reason));
        return true;
      });
      if (approval !== null) return approval;
    }
  }

  /**
   * Rejects what was asked for. The admin who asked withdraws it so. A repeat by the same admin has the same response.
   * @throws DomainError `forbidden` for callers other than admins; `unauthorized` without a recent login; `not_found`;
   * `conflict` when it is decided
   */
  async reject(caller: Principal, id: string, reason: string): Promise<Readonly<Approval>> {
    const approval = await this.decide(caller, id, 'rejected', async (tx, locked, now) => {
      locked.reject(caller.subjectId, reason, now);
      this.repository.save(tx, locked);
      await this.kinds.get(locked.type).dismiss?.(tx, locked, now);
      this.audit.record(tx, caller, describeAction('approval.reject', locked, reason));
      return true;
    });
    return approval!;
  }

  /** @returns null when `decision` has done only a part of it */
  private async decide(
    caller: Principal,
    id: string,
    status: 'approved' | 'rejected',
    decision: (tx: Tx, locked: Approval, now: Date) => Promise<boolean>,
  ): Promise<Approval | null> {
    this.admins.assertMayDecide(caller);
    const { accountId } = await this.requests.get(caller, id);
    return this.database.transaction(async (tx, now) => {
      const locked = (await this.repository.lock(tx, accountId, id))!;
      if (locked.wasDecidedBy(caller.subjectId, status)) return locked;
      return (await decision(tx, locked, now)) ? locked : null;
    });
  }
}

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
