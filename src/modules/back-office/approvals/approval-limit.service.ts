import { Inject, Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { isAdmin, Principal } from '../../auth';
import { ApprovalsSettings, approvalsSettings } from './approvals.settings';
import { ApprovalType } from './approval';
import { ApprovalLimit, MovedMoney } from './approval-limit';
import { Approvals } from './approvals';
import { UnapprovedAmounts } from './unapproved-amounts.repository';

@Injectable()
export class ApprovalLimitService extends ApprovalLimit {
  constructor(
    private readonly amounts: UnapprovedAmounts,
    private readonly approvals: Approvals,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {
    super();
  }

  async isExceeded(
    tx: Tx,
    { subjectId }: Principal,
    { accountId, amount }: MovedMoney,
    now: Date,
  ): Promise<boolean> {
    const { limit } = this.settings;
    if (amount > limit) return true;
    if (limit === Number.MAX_SAFE_INTEGER) return false;
    const day = now.toISOString().slice(0, 10);
    return !(await this.amounts.add(tx, { accountId, adminId: subjectId, day, amount }, limit));
  }

  limits(caller: Principal): boolean {
    const { required, limit } = this.settings;
    return required && limit < Number.MAX_SAFE_INTEGER && isAdmin(caller);
  }

  async isExceededByTransaction(tx: Tx, caller: Principal, money: MovedMoney, now: Date): Promise<boolean> {
    return this.limits(caller) && this.isExceeded(tx, caller, money, now);
  }

  async assertAlone(
    tx: Tx,
    caller: Principal,
    money: MovedMoney,
    type: ApprovalType,
    now: Date,
  ): Promise<void> {
    if (await this.isExceededByTransaction(tx, caller, money, now)) this.approvals.assertNotRequired(type);
  }
}
