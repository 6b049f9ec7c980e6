import { Injectable } from '@nestjs/common';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { AccountStore } from '../../accounts';
import {
  AccountScopedReader,
  assertAdmin,
  assertSeesAllAccounts,
  Principal,
  RecentLogin,
  seesAllAccounts,
} from '../../auth';
import { Ledger, Subledger } from '../../ledger';
import { Adjustment, AdjustmentTerms, directionOf } from '../domain/adjustment';
import { AdjustmentFilter, AdjustmentsRepository } from '../domain/adjustments.repository';

const READERS_ONLY = 'Only the back office and platform systems can read adjustments.';

/** Corrections of balances by admins. */
@Injectable()
export class Adjustments {
  private readonly reader: AccountScopedReader<Adjustment, AdjustmentFilter>;
  private readonly subledger: Subledger;

  constructor(
    private readonly database: Database,
    private readonly repository: AdjustmentsRepository,
    private readonly accounts: AccountStore,
    private readonly recentLogin: RecentLogin,
    private readonly events: EventRecorder,
    private readonly audit: AuditTrail,
    ledger: Ledger,
  ) {
    this.reader = new AccountScopedReader('adj', 'adjustment', repository);
    this.subledger = ledger.subledger({
      table: 'adjustments',
      direction: directionOf,
      heldStatuses: [],
      postedStatuses: ['posted'],
    });
  }

  /**
   * Posts a correction to the journal of an account.
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
    return this.database.idempotent(
      operation,
      (tx, now) =>
        this.accounts.update(tx, accountId, async (account) => {
          const adjustment = Adjustment.create(account, terms, account.issueId('adj', now));
          const { id, amount, currency, direction, reason } = adjustment;
          const posting = { transactionId: id, direction: directionOf[direction], amount };
          this.subledger.hold(account, posting);
          this.subledger.post(tx, account, posting, adjustment.createdAt);
          this.events.record(tx, 'adjustment.posted', adjustment, null);
          this.repository.add(tx, adjustment);
          const details = { amount, currency, direction };
          this.audit.record(tx, caller, {
            action: 'adjustment.create',
            objectId: id,
            accountId,
            reason,
            details,
          });
          return adjustment;
        }),
      accountId,
    );
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
}
