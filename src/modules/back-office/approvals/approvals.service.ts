import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { Principal, Role } from '../../auth';
import { Approval, ApprovalRequest, ApprovalType, describeAction } from './approval';
import { ApprovalsRepository } from './approvals.repository';
import { ApprovalsSettings, approvalsSettings } from './approvals.settings';

/** What takes effect when a second admin approves it, for the modules that it concerns. */
@Injectable()
export class Approvals {
  constructor(
    private readonly repository: ApprovalsRepository,
    private readonly audit: AuditTrail,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {}

  /** For operations that an admin would complete alone. @throws DomainError `conflict` where approvals are required */
  assertNotRequired(type: ApprovalType): void {
    if (this.settings.required)
      throw new DomainError(
        'conflict',
        `A second admin has to approve this. Ask for it: POST /v1/approvals with the type ${type}.`,
      );
  }

  /**
   * For changes with which an admin could sign in as another one, and then approve what the first one asks for.
   * @param advice what the caller does instead
   * @throws DomainError `forbidden` for the login of another admin where approvals are required
   */
  assertMayChangeLogin(caller: Principal, { id, role }: { id: string; role: Role }, advice: string): void {
    if (this.settings.required && role === 'admin' && id !== caller.userId)
      throw new DomainError(
        'forbidden',
        `Where approvals are required, nobody changes how another admin signs in. ${advice}`,
      );
  }

  /** Adds an approval for what a module has prepared in `tx`. */
  add(tx: Tx, caller: Principal, request: ApprovalRequest, now: Date): Approval {
    const approval = Approval.create(request, now);
    this.repository.add(tx, approval);
    this.audit.record(tx, caller, describeAction('approval.request', approval, approval.reason));
    return approval;
  }
}
