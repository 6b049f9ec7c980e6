import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { AccountStore } from '../../accounts';
import { Principal } from '../../auth';
import { Approval, ApprovalKind, ApprovalLimit, Approvals } from '../../back-office';
import { InitialStatePolicy } from '../../processors';
import { Transaction } from '../domain/transaction';
import { TransactionApprovals } from '../domain/transaction-approvals';
import { TransactionProcessing } from '../domain/transaction-processing';
import { TransactionsRepository } from '../domain/transactions.repository';

/** Transactions that an admin created above the limit, which wait for a second admin. */
@Injectable()
export class ApprovedTransactions extends TransactionApprovals implements ApprovalKind {
  readonly name = 'transaction';

  constructor(
    private readonly repository: TransactionsRepository,
    private readonly accounts: AccountStore,
    private readonly processing: TransactionProcessing,
    private readonly initialStates: InitialStatePolicy,
    private readonly approvals: Approvals,
    private readonly limit: ApprovalLimit,
    private readonly audit: AuditTrail,
  ) {
    super();
  }

  isNeeded(...args: Parameters<ApprovalLimit['isExceededByTransaction']>): Promise<boolean> {
    return this.limit.isExceededByTransaction(...args);
  }

  limits(caller: Principal): boolean {
    return this.limit.limits(caller);
  }

  ask(tx: Tx, caller: Principal, transaction: Transaction, now: Date): void {
    const { id: objectId, accountId, amount, currency, type } = transaction;
    const approval = this.approvals.add(
      tx,
      caller,
      {
        type: this.name,
        accountId,
        objectId,
        details: { amount, currency, type },
        reason: `A ${type} above the limit of one admin.`,
        requestedBy: caller.subjectId,
      },
      now,
    );
    transaction.awaitApproval(approval.id);
  }

  /** What a second admin has approved at its creation, or the caller's limit has counted then, needs no more. */
  async assertMaySettle(
    tx: Tx,
    caller: Principal,
    transaction: Readonly<Transaction>,
    now: Date,
  ): Promise<void> {
    const { direction, approvedAt, countedAdminId } = transaction;
    if (direction === 'in' && approvedAt === null && countedAdminId !== caller.subjectId)
      await this.limit.assertAlone(tx, caller, transaction, 'settle_transaction', now);
  }

  /** @throws DomainError `conflict` for a transaction that was canceled; any code from a hook */
  async execute(
    tx: Tx,
    { accountId, objectId }: Readonly<Approval>,
    approver: Principal,
    now: Date,
  ): Promise<boolean> {
    await this.accounts.update(tx, accountId, async (account) => {
      const transaction = (await this.repository.lock(tx, accountId, objectId))!;
      const { sourceTransactionId } = transaction;
      const paymentReference =
        sourceTransactionId === null
          ? null
          : await this.processing.processorReferenceOf(tx, accountId, sourceTransactionId);
      const state = this.initialStates.initialState(
        { ...transaction, byOperator: true, paymentReference },
        account.timeOf(now),
      );
      await this.processing.approve(tx, account, transaction, state, now);
      this.audit.record(tx, approver, { action: 'transaction.approve', objectId, accountId });
    });
    return true;
  }

  /** Cancels the transaction, unless it has been canceled already. */
  async dismiss(tx: Tx, { accountId, objectId }: Readonly<Approval>, now: Date): Promise<void> {
    await this.accounts.update(tx, accountId, async (account) => {
      const transaction = (await this.repository.lock(tx, accountId, objectId))!;
      if (transaction.awaitsApproval) await this.processing.apply(tx, 'cancel', account, transaction, now);
    });
  }
}
