import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/tx';
import { AccountStore } from '../../accounts';
import { Principal } from '../../auth';
import { Approval, ApprovalKind } from '../../back-office';
import { TransactionProcessing } from '../domain/transaction-processing';
import { TransactionsRepository } from '../domain/transactions.repository';

/** Pending transactions of which an admin reports above the limit that they have succeeded. */
@Injectable()
export class ApprovedSettlements implements ApprovalKind {
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

  async execute(
    tx: Tx,
    { accountId, objectId, reason }: Readonly<Approval>,
    approver: Principal,
    now: Date,
  ): Promise<boolean> {
    await this.accounts.update(tx, accountId, async (account) => {
      const transaction = (await this.repository.lock(tx, accountId, objectId))!;
      transaction.assertReportable();
      await this.processing.apply(tx, 'settle', account, transaction, now);
      this.audit.record(tx, approver, {
        action: 'transaction.settle',
        objectId,
        accountId,
        reason,
        details: { outcome: 'succeeded' },
      });
    });
    return true;
  }
}
