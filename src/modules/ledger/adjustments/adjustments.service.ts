import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import { AccountStore, LockedAccount } from '../../accounts';
import { AccountScopedReader, assertAdmin, Principal, RecentLogin, seesAllAccounts } from '../../auth';
import { Approval, ApprovalKind, Approvals } from '../../back-office';
import { Ledger } from '../ledger.service';
import { Posting, Subledger } from '../ledger';
import { Adjustment, AdjustmentTerms, postingDirections } from './adjustment';
import { AdjustmentFilter, AdjustmentsRepository } from './adjustments.repository';

const READERS_ONLY = 'Only the back office and platform systems can read adjustments.';

/** Posts adjustments: at once, or when a second admin approves. */
@Injectable()
export class AdjustmentPostings implements ApprovalKind {
  readonly name = 'adjustment';
  private readonly subledger: Subledger;

  constructor(
    private readonly repository: AdjustmentsRepository,
    private readonly accounts: AccountStore,
    private readonly approvals: Approvals,
    private readonly audit: AuditTrail,
    ledger: Ledger,
  ) {
    this.subledger = ledger.subledger({
      table: 'adjustments',
      direction: postingDirections,
      heldStatuses: [],
      postedStatuses: ['posted'],
      lines: { type: 'adjustment' },
    });
  }

  /**
   * Adds an adjustment: posts it, or asks for an approval of one that is pending and could be posted now.
   * @throws DomainError `insufficient_funds`; `invalid_request` beyond the largest balance
   */
  add(tx: Tx, caller: Principal, account: LockedAccount, adjustment: Adjustment): void {
    const { id: objectId, accountId, amount, currency, direction, status, reason, createdAt } = adjustment;
    const posting = toPosting(adjustment);
    const details = { amount, currency, direction };
    this.subledger.hold(account, posting);
    if (status === 'pending') {
      this.subledger.release(account, posting);
      const request = { type: 'adjustment', accountId, objectId, details, reason } as const;
      adjustment.awaitApproval(this.approvals.add(tx, caller, request, createdAt).id);
    } else this.subledger.post(tx, account, posting, createdAt);
    this.repository.add(tx, adjustment);
    const event = { action: 'adjustment.create', objectId, accountId, reason };
    this.audit.record(tx, caller, { ...event, details: { ...details, status } });
  }

  async execute(tx: Tx, { accountId, objectId }: Readonly<Approval>, approver: Principal, now: Date) {
    await this.accounts.update(tx, accountId, async (account) => {
      const adjustment = (await this.repository.lock(tx, accountId, objectId))!;
      adjustment.post(account, now);
      const posting = toPosting(adjustment);
      this.subledger.hold(account, posting);
      this.subledger.post(tx, account, posting, now);
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

/** Corrections of balances by admins. */
@Injectable()
export class Adjustments extends AccountScopedReader<Adjustment, AdjustmentFilter> {
  constructor(
    private readonly database: Database,
    private readonly postings: AdjustmentPostings,
    private readonly accounts: AccountStore,
    private readonly approvals: Approvals,
    private readonly recentLogin: RecentLogin,
    repository: AdjustmentsRepository,
  ) {
    super('adj', 'adjustment', repository, { include: seesAllAccounts, message: READERS_ONLY });
  }

  /**
   * Posts a correction to the journal of an account, or asks for its approval above the limit. What waits for an approval
   * holds no money.
   * @throws DomainError `forbidden` for callers other than admins, and for money into a closed account; `unauthorized`
   * without a recent login; `not_found`; `currency_mismatch`; `insufficient_funds`; `invalid_request` beyond the largest
   * balance
   */
  async create(
    caller: Principal,
    accountId: string,
    request: Omit<AdjustmentTerms, 'createdBy'>,
    operation: IdempotentOperation<Adjustment>,
  ): Promise<StoredResponse> {
    assertAdmin(caller, 'Only admins can adjust a balance.');
    this.recentLogin.assert(caller);
    const terms = { ...request, createdBy: caller.subjectId };
    const work = (tx: Tx, now: Date): Promise<Adjustment> =>
      this.accounts.update(tx, accountId, async (account) => {
        const money = { accountId, amount: request.amount };
        const needsApproval = await this.approvals.isLimitExceeded(tx, caller, money, now);
        const adjustment = Adjustment.create(account, terms, account.issueId('adj', now), needsApproval);
        this.postings.add(tx, caller, account, adjustment);
        return adjustment;
      });
    return this.database.idempotent(operation, work, accountId);
  }
}

function toPosting({ id, amount, direction }: Adjustment): Posting {
  return { transactionId: id, direction: postingDirections[direction], amount };
}
