import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { Principal, Role } from '../../auth';
import { Approval, ApprovalRequest, ApprovalType, describeAction } from './approval';
import { Approvals } from './approvals';
import { ApprovalsRepository } from './approvals.repository';
import { ApprovalsSettings, approvalsSettings } from './approvals.settings';

@Injectable()
export class ApprovalsService extends Approvals {
  constructor(
    private readonly repository: ApprovalsRepository,
    private readonly audit: AuditTrail,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {
    super();
  }

  assertNotRequired(type: ApprovalType): void {
    if (this.settings.required)
      throw new DomainError(
        'conflict',
        `A second admin has to approve this. Ask for it: POST /v1/approvals with the type ${type}.`,
      );
  }

  assertMayChangeLogin(caller: Principal, { id, role }: { id: string; role: Role }, advice: string): void {
    if (this.settings.required && role === 'admin' && id !== caller.userId)
      throw new DomainError(
        'forbidden',
        `Where approvals are required, nobody changes how another admin signs in. ${advice}`,
      );
  }

  add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval {
    const approval = Approval.create(request, now);
    this.repository.add(tx, approval);
    this.audit.record(tx, caller, describeAction('approval.request', approval, approval.reason));
    return approval;
  }
}
