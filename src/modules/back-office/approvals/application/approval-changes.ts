import { Injectable } from '@nestjs/common';
import { isId } from '../../../../kernel/ids';
import { Actor, AuditTrail } from '../../../../platform/audit/audit-trail';
import { Tx } from '../../../../platform/database/tx';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { Approval } from '../domain/approval';
import { ApprovalsRepository } from '../domain/approvals.repository';

/** Writes approvals, each change with its event, which only operators see. */
@Injectable()
export class ApprovalChanges {
  constructor(
    private readonly repository: ApprovalsRepository,
    private readonly events: EventRecorder,
    private readonly auditTrail: AuditTrail,
  ) {}

  add(tx: Tx, approval: Approval): void {
    this.events.record(tx, 'approval.created', approval, null);
    this.repository.add(tx, approval);
  }

  /** Changes an approval that `tx` has locked. */
  save(tx: Tx, approval: Approval, change: () => void): void {
    change();
    this.events.record(tx, `approval.${approval.status}`, approval, null);
    this.repository.save(tx, approval);
  }

  audit(tx: Tx, actor: Actor, action: string, approval: Approval, reason: string | null): void {
    const { id, type, objectId, accountId } = approval;
    this.auditTrail.record(tx, actor, {
      action,
      objectId: id,
      accountId: isId('acc', accountId) ? accountId : null,
      reason,
      details: { type, about: objectId },
    });
  }
}
