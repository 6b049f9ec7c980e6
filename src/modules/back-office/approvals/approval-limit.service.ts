import { Inject, Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { isAdmin, Principal } from '../../auth';
import { ApprovalsSettings, approvalsSettings } from './approvals.settings';
import { ApprovalType } from './approval';
import { Approvals } from './approvals.service';
import { UnapprovedAmounts } from './unapproved-amounts.repository';

/** Money that is moved in an account, in minor units of its currency. */
interface MovedMoney {
  readonly accountId: string;
  readonly amount: number;
}

/** How much money an admin moves alone: so much in one account and one day. The caller has locked the account. */
@Injectable()
export class ApprovalLimit {
  constructor(
    private readonly amounts: UnapprovedAmounts,
    private readonly approvals: Approvals,
    @Inject(approvalsSettings.token) private readonly settings: ApprovalsSettings,
  ) {}

  /** Whether a second admin has to approve what an admin moves. What need not be approved is counted. */
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

  /** Whether there is a limit for what the caller moves with transactions: only for admins, where approvals are required. */
  limits(caller: Principal): boolean {
    const { required, limit } = this.settings;
    return required && limit < Number.MAX_SAFE_INTEGER && isAdmin(caller);
  }

  /** The same as `isExceeded` for a transaction. */
  async isExceededByTransaction(tx: Tx, caller: Principal, money: MovedMoney, now: Date): Promise<boolean> {
    return this.limits(caller) && this.isExceeded(tx, caller, money, now);
  }

  /** @throws DomainError `conflict` for a transaction that a second admin has to approve with an approval of that type */
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
