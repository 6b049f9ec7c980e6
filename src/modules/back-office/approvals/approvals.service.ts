import { Inject, Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/database';
import { isAdmin, Principal, Role } from '../../auth';
import { Approval, ApprovalRequest, ApprovalType, describeAction, MovedMoney } from './approval';
import { ApprovalsRepository } from './approvals.repository';
import { approvalsSettings, ApprovalsSettings } from './approvals.settings';

/** What takes effect when a second admin approves it, and how much money an admin moves alone. */
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
    const approval = Approval.create({ ...request, requestedBy: caller.subjectId }, now);
    this.repository.add(tx, approval);
    this.audit.record(tx, caller, describeAction('approval.request', approval, approval.reason));
    return approval;
  }

  /**
   * Whether a second admin has to approve what an admin moves, who moves so much alone in one account and one day. What
   * need not be approved is counted. The caller has locked the account.
   */
  async isLimitExceeded(
    tx: Tx,
    { subjectId: adminId }: Principal,
    { accountId, amount }: MovedMoney,
    now: Date,
  ): Promise<boolean> {
    const { limit } = this.settings;
    if (amount > limit) return true;
    if (limit === Number.MAX_SAFE_INTEGER) return false;
    const day = now.toISOString().slice(0, 10);
    return !(await this.repository.addUnapproved(tx, { accountId, adminId, day, amount }, limit));
  }

  /** Whether there is a limit for what the caller moves with transactions: only for admins, where approvals are required. */
  limits(caller: Principal): boolean {
    const { required, limit } = this.settings;
    return required && limit < Number.MAX_SAFE_INTEGER && isAdmin(caller);
  }

  /** The same for a transaction. */
  async isLimitExceededByTransaction(
    tx: Tx,
    caller: Principal,
    money: MovedMoney,
    now: Date,
  ): Promise<boolean> {
    return this.limits(caller) && this.isLimitExceeded(tx, caller, money, now);
  }

  /** @throws DomainError `conflict` for a transaction that a second admin has to approve with an approval of that type */
  async assertAlone(
    tx: Tx,
    caller: Principal,
    money: MovedMoney,
    type: ApprovalType,
    now: Date,
  ): Promise<void> {
    if (await this.isLimitExceededByTransaction(tx, caller, money, now)) this.assertNotRequired(type);
  }
}
