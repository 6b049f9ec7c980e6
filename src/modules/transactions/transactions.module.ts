import { Module } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { cancelInParts, ClosingHooks } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, ApprovalKinds, SearchSources, spellCases } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { EventSummaries } from '../events';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentProcessor, ProcessorEventHandlers } from '../processors';
import { ProcessorsModule } from '../processors/processors.module';
import { DueTransactions, ProcessorRefunds } from './application/due-transactions';
import {
  CreateTransactionApproval,
  SettleTransactionApproval,
  TransactionApprovalsService,
} from './application/transaction-approvals.service';
import { TransactionProcessingService } from './application/transaction-processing.service';
import { Transactions } from './application/transactions.service';
import { TransactionHooks } from './domain/transaction-hooks';
import { PaymentSplits, TransactionApprovals, TransactionProcessing } from './domain/transaction-processing';
import { TransactionsRepository } from './domain/transactions.repository';
import { TransactionsController } from './http/transactions.controller';
import { transactionResponse, TransactionResponse } from './http/transactions.dto';
import { SqlTransactionsRepository, transactionSchema } from './infrastructure/sql-transactions.repository';
import { OutcomeTotals } from './outcomes/outcome-totals';
import { OutcomeTotalsRepository } from './outcomes/outcome-totals.repository';
import { OutcomeTotalsService } from './outcomes/outcome-totals.service';

/** Payments, credits and refunds of an account. */
@Module({
  imports: [AccountsModule, ApprovalsModule, LedgerModule, ProcessorsModule, SearchModule],
  controllers: [TransactionsController],
  providers: [
    Transactions,
    { provide: TransactionProcessing, useClass: TransactionProcessingService },
    { provide: TransactionApprovals, useClass: TransactionApprovalsService },
    CreateTransactionApproval,
    SettleTransactionApproval,
    DueTransactions,
    ProcessorRefunds,
    TransactionHooks,
    PaymentSplits,
    OutcomeTotalsService,
    { provide: OutcomeTotals, useExisting: OutcomeTotalsService },
    OutcomeTotalsRepository,
    { provide: TransactionsRepository, useClass: SqlTransactionsRepository },
    register(ApprovalKinds, [CreateTransactionApproval], (approval) => approval),
    register(ApprovalKinds, [SettleTransactionApproval], (approval) => approval),
    register(PeriodicTasks, [DueTransactions], (due) => due),
    register(PeriodicTasks, [ProcessorRefunds, PaymentProcessor], (due, processor) =>
      processor.refunds === null ? null : due,
    ),
    register(PeriodicTasks, [OutcomeTotalsService], (totals) => totals),
    register(EventSummaries, [OutcomeTotalsService], (totals) => ({
      name: 'outcomes of transactions',
      summedUntil: () => totals.summedUntil(),
    })),
    register(ProcessorEventHandlers, [ProcessorRefunds], (refunds) => ({
      name: 'refunds of transactions',
      kind: 'refund',
      idPrefix: 'txn',
      process: (tx, event, now) => refunds.processEvent(tx, event, now),
    })),
    register(SearchSources, [Transactions], (reader) =>
      accountOwnedSource({
        name: 'transaction',
        scope: 'transactions:read',
        reader,
        filters: (text) => spellCases(text).map((reference) => ({ reference })),
        response: TransactionResponse,
        render: transactionResponse,
      }),
    ),
    register(ClosingHooks, [Transactions, TransactionProcessing], (pending, processing) => ({
      name: 'transactions',
      ...cancelInParts(
        (tx, accountId, limit) => pending.lockCancelable(tx, accountId, limit),
        (tx, account, transaction, now) => processing.apply(tx, 'cancel', account, transaction, now),
      ),
    })),
  ],
  exports: [OutcomeTotals, PaymentSplits, TransactionHooks, TransactionProcessing],
})
export class TransactionsModule {}

export const transactions: ServiceModule = {
  module: TransactionsModule,
  entities: [transactionSchema],
  idPrefixes: ['txn'],
  tags: [{ name: 'Transactions', description: 'Payments, credits and refunds of an account.' }],
  events: [
    {
      resource: 'transaction',
      scope: 'transactions:read',
      actions: {
        created: 'A pending transaction was created.',
        updated: 'A transaction was updated, or a second admin approved one that is still pending.',
        succeeded: 'A transaction succeeded, perhaps at its creation: its money has moved.',
        failed: 'A transaction failed, perhaps at its creation.',
        canceled: 'A pending transaction was canceled.',
      },
      examples: { failed: { failure_reason: 'The bank rejected the transfer.' } },
      response: TransactionResponse,
      render: transactionResponse,
    },
  ],
};
