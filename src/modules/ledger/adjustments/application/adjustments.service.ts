import { Injectable } from '@nestjs/common';
import { CursorPage, CursorRequest } from '../../../../kernel/pages';
import { AuditTrail } from '../../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { Account, AccountStore } from '../../../accounts';
import {
  AccountScopedReader,
  assertAdmin,
  assertSeesAllAccounts,
  Principal,
  RecentLogin,
  seesAllAccounts,
} from '../../../auth';
import { ApprovalLimit, Approvals } from '../../../back-office';
import { Adjustment, AdjustmentTerms } from '../domain/adjustment';
import { AdjustmentFilter, AdjustmentsRepository } from '../domain/adjustments.repository';
import { AdjustmentPostings } from './adjustment-postings';

const READERS_ONLY = 'Only the back office and platform systems can read adjustments.';

/** Corrections of balances by admins. */
@Injectable()
export class Adjustments {
  private readonly reader: AccountScopedReader<Adjustment, AdjustmentFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: AdjustmentsRepository,
    private readonly postings: AdjustmentPostings,
    private readonly accounts: AccountStore,
    private readonly approvals: Approvals,
    private readonly limit: ApprovalLimit,
    private readonly recentLogin: RecentLogin,
    private readonly audit: AuditTrail,
  ) {
    this.reader = new AccountScopedReader('adj', 'adjustment', repository);
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
        const needsApproval = await this.limit.isExceeded(tx, caller, money, now);
        const adjustment = Adjustment.create(account, terms, account.issueId('adj', now), needsApproval);
        if (needsApproval) this.askForApproval(tx, caller, account, adjustment);
        else this.postings.post(tx, account, adjustment, adjustment.createdAt);
        this.repository.add(tx, adjustment);
        this.audit.record(tx, caller, {
          action: 'adjustment.create',
          objectId: adjustment.id,
          accountId,
          reason: adjustment.reason,
          details: { ...describeAdjustment(adjustment), status: adjustment.status },
        });
        return adjustment;
      });
    return this.database.idempotent(operation, work, accountId);
  }

  /** @throws DomainError `forbidden` for callers who do not see all accounts; `invalid_request` for an unknown cursor */
  async list(
    caller: Principal,
    filter: AdjustmentFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Readonly<Adjustment>>> {
    assertSeesAllAccounts(caller, READERS_ONLY);
    return this.reader.list(caller, filter, request);
  }

  /** @throws DomainError `forbidden`, `not_found` */
  async get(caller: Principal, id: string): Promise<Readonly<Adjustment>> {
    assertSeesAllAccounts(caller, READERS_ONLY);
    return this.reader.get(caller, id);
  }

  /** Finds adjustments by id or by a filter, for those who see all accounts (see AccountScopedReader). */
  async search(
    caller: Principal,
    ...search: [text: string, filters: readonly AdjustmentFilter[], limit: number]
  ): Promise<readonly Readonly<Adjustment>[]> {
    return seesAllAccounts(caller) ? this.reader.search(caller, ...search) : [];
  }

  private askForApproval(tx: Tx, caller: Principal, account: Account, adjustment: Adjustment): void {
    this.postings.assertPossible(account, adjustment);
    const { id: objectId, accountId, reason, createdBy, createdAt } = adjustment;
    const details = describeAdjustment(adjustment);
    const request = {
      type: 'adjustment',
      accountId,
      objectId,
      details,
      reason,
      requestedBy: createdBy,
    } as const;
    adjustment.awaitApproval(this.approvals.add(tx, caller, request, createdAt).id);
  }
}

function describeAdjustment({ amount, currency, direction }: Adjustment) {
  return { amount, currency, direction };
}
