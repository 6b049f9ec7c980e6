import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
import { Tx } from '../../../../platform/database/tx';
import { Account, AccountStore } from '../../../accounts';
import { Principal } from '../../../auth';
import { Approval, ApprovalKind } from '../../../back-office';
import { Ledger, Posting, Subledger } from '../../domain/ledger';
import { Adjustment, directionOf } from '../domain/adjustment';
import { AdjustmentsRepository } from '../domain/adjustments.repository';

/** Posts adjustments: at once, or when a second admin approves. */
@Injectable()
export class AdjustmentPostings implements ApprovalKind {
  readonly name = 'adjustment';
  private readonly subledger: Subledger;

  constructor(
    private readonly repository: AdjustmentsRepository,
    private readonly accounts: AccountStore,
    private readonly audit: AuditTrail,
    ledger: Ledger,
  ) {
    this.subledger = ledger.subledger({
      table: 'adjustments',
      direction: directionOf,
      heldStatuses: [],
      postedStatuses: ['posted'],
      lines: { type: 'adjustment' },
    });
  }

  /** @throws DomainError `insufficient_funds`; `invalid_request` beyond the largest balance */
  assertPossible(account: Account, adjustment: Adjustment): void {
    const posting = toPosting(adjustment);
    this.subledger.hold(account, posting);
    this.subledger.release(account, posting);
  }

  /** @throws DomainError like `assertPossible` */
  post(tx: Tx, account: Account, adjustment: Adjustment, now: Date): void {
    const posting = toPosting(adjustment);
    this.subledger.hold(account, posting);
    this.subledger.post(tx, account, posting, now);
  }

  async execute(
    tx: Tx,
    { accountId, objectId }: Readonly<Approval>,
    approver: Principal,
    now: Date,
  ): Promise<boolean> {
    await this.accounts.update(tx, accountId, async (account) => {
      const adjustment = (await this.repository.lock(tx, accountId, objectId))!;
      adjustment.post(account, now);
      this.post(tx, account, adjustment, now);
      this.repository.save(tx, adjustment);
      this.audit.record(tx, approver, { action: 'adjustment.post', objectId, accountId });
    });
    return true;
  }

  async dismiss(tx: Tx, { accountId, objectId, status }: Readonly<Approval>, now: Date): Promise<void> {
    const adjustment = (await this.repository.lock(tx, accountId, objectId))!;
    adjustment.dismiss(status === 'expired' ? 'expire' : 'reject', now);
    this.repository.save(tx, adjustment);
  }
}

function toPosting({ id, amount, direction }: Adjustment): Posting {
  return { transactionId: id, direction: directionOf[direction], amount };
}
