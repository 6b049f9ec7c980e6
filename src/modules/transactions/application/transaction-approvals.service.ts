import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/database';
import { AccountStore } from '../../accounts';
import { Principal } from '../../auth';
import { Approval, ApprovalKind, Approvals } from '../../back-office';
import { InitialStatePolicy } from '../../processors';
import { Transaction } from '../domain/transaction';
import { TransactionApprovals, TransactionProcessing } from '../domain/transaction-processing';
import { TransactionsRepository } from '../domain/transactions.repository';

@Injectable()
export class TransactionApprovalsService extends TransactionApprovals {
  constructor(private readonly approvals: Approvals) {
    super();
  }

  isNeeded(...args: Parameters<Approvals['isLimitExceededByTransaction']>): Promise<boolean> {
    return this.approvals.isLimitExceededByTransaction(...args);
  }

  limits(caller: Principal): boolean {
    return this.approvals.limits(caller);
  }

  ask(tx: Tx, caller: Principal, transaction: Transaction, now: Date): void {
    const { id: objectId, accountId, amount, currency, type } = transaction;
    const details = { amount, currency, type };
    const reason = `A ${type} above the limit of one admin.`;
    const request = { type: 'transaction', accountId, objectId, details, reason } as const;
    transaction.awaitApproval(this.approvals.add(tx, caller, request, now).id);
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
      await this.approvals.assertAlone(tx, caller, transaction, 'settle_transaction', now);
  }
}

/** Transactions that an admin created above the limit, which wait for a second admin. */
@Injectable()
export class CreateTransactionApproval implements ApprovalKind {
  readonly name = 'transaction';

  constructor(
    private readonly repository: TransactionsRepository,
    private readonly accounts: AccountStore,
    private readonly processing: TransactionProcessing,
    private readonly initialStates: InitialStatePolicy,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `conflict` for a transaction that was canceled; any code from a hook */
  async execute(tx: Tx, { accountId, objectId }: Readonly<Approval>, approver: Principal, now: Date) {
    await this.accounts.update(tx, accountId, async (account) => {
      const transaction = (await this.repository.lock(tx, accountId, objectId))!;
      const { sourceTransactionId: id } = transaction;
      const paymentReference = id && (await this.processing.processorReferenceOf(tx, accountId, id));
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

/** Pending transactions of which an admin reports above the limit that they have succeeded. */
@Injectable()
export class SettleTransactionApproval implements ApprovalKind {
  readonly name = 'settle_transaction';

  constructor(
    private readonly repository: TransactionsRepository,
    private readonly accounts: AccountStore,
    private readonly processing: TransactionProcessing,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws DomainError `not_found`; `conflict` unless the outcome can be reported */
  async prepare(tx: Tx, id: string) {
    const found = isId('txn', id) ? await this.repository.find(id, null) : null;
    const transaction = found && (await this.repository.lock(tx, found.accountId, id));
    if (transaction === null) throw new DomainError('not_found', 'There is no such transaction.');
    transaction.assertCan('settle');
    transaction.assertReportable();
    const { accountId, amount, currency, type } = transaction;
    return { accountId, details: { amount, currency, type } };
  }

  async execute(tx: Tx, { accountId, objectId, reason }: Readonly<Approval>, approver: Principal, now: Date) {
    await this.accounts.update(tx, accountId, async (account) => {
      const transaction = (await this.repository.lock(tx, accountId, objectId))!;
      transaction.assertReportable();
      await this.processing.apply(tx, 'settle', account, transaction, now);
      const event = { action: 'transaction.settle', objectId, accountId, reason };
      this.audit.record(tx, approver, { ...event, details: { outcome: 'succeeded' } });
    });
    return true;
  }
}
