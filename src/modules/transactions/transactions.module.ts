import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { exportAsCsv } from '../../platform/http/csv-export';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { ServiceModule } from '../../platform/service-module';
import { AccountClosing, cancelInParts } from '../accounts';
import { AccountsModule } from '../accounts/accounts.module';
import { accountOwnedSource, ApprovalKinds, spellCases, SearchSources } from '../back-office';
import { ApprovalsModule } from '../back-office/approvals/approvals.module';
import { SearchModule } from '../back-office/search/search.module';
import { LedgerModule } from '../ledger/ledger.module';
import { PaymentProcessor, ProcessorEventHandlers } from '../processors';
import { ProcessorsModule } from '../processors/processors.module';
import { ApprovedSettlements } from './application/approved-settlements';
import { ApprovedTransactions } from './application/approved-transactions';
import { DueTransactions } from './application/due-transactions';
import { PendingTransactionsService } from './application/pending-transactions.service';
import { ProcessorRefunds } from './application/processor-refunds';
import { TransactionProcessingService } from './application/transaction-processing.service';
import { Transactions } from './application/transactions.service';
import { PendingTransactions } from './domain/pending-transactions';
import { TransactionApprovals } from './domain/transaction-approvals';
import { TransactionHooks } from './domain/transaction-hooks';
import { TransactionProcessing } from './domain/transaction-processing';
import { TransactionsRepository } from './domain/transactions.repository';
import { TransactionsController } from './http/transactions.controller';
import { TransactionsResponse, transactionResponse, TransactionResponse } from './http/transactions.dto';
import { SqlTransactionsRepository } from './infrastructure/sql-transactions.repository';
import { transactionSchema } from './infrastructure/transaction.schema';

exportAsCsv(TransactionsController, 'list', TransactionsResponse);

/** Payments, credits and refunds of an account. */
@Module({
  imports: [AccountsModule, ApprovalsModule, LedgerModule, ProcessorsModule, SearchModule],
  controllers: [TransactionsController],
  providers: [
    Transactions,
    { provide: TransactionProcessing, useClass: TransactionProcessingService },
    ApprovedTransactions,
    { provide: TransactionApprovals, useExisting: ApprovedTransactions },
    ApprovedSettlements,
    DueTransactions,
    ProcessorRefunds,
    TransactionHooks,
    { provide: PendingTransactions, useClass: PendingTransactionsService },
    { provide: TransactionsRepository, useClass: SqlTransactionsRepository },
  ],
  exports: [PendingTransactions, TransactionHooks, TransactionProcessing],
})
export class TransactionsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly closing: AccountClosing,
    private readonly eventHandlers: ProcessorEventHandlers,
    private readonly processor: PaymentProcessor,
    private readonly periodicTasks: PeriodicTasks,
    private readonly repository: TransactionsRepository,
    private readonly transactions: Transactions,
    private readonly processing: TransactionProcessing,
    private readonly hooks: TransactionHooks,
    private readonly due: DueTransactions,
    private readonly refunds: ProcessorRefunds,
    private readonly search: SearchSources,
    private readonly approvalKinds: ApprovalKinds,
    private readonly approved: ApprovedTransactions,
    private readonly settlements: ApprovedSettlements,
  ) {}

  onModuleInit(): void {
    this.approvalKinds.register(this.approved);
    this.approvalKinds.register(this.settlements);
    this.search.register(
      accountOwnedSource({
        name: 'transaction',
        scope: 'transactions:read',
        reader: this.transactions,
        filters: (text) => spellCases(text).map((reference) => ({ reference })),
        render: transactionResponse,
      }),
    );
    this.closing.register({
      name: 'transactions',
      ...cancelInParts(
        (tx, accountId, limit) => this.repository.lockCancelable(tx, accountId, limit),
        (tx, account, pending, now) => this.processing.cancel(tx, account, pending, now),
      ),
    });
    this.eventHandlers.register({
      name: 'refunds of transactions',
      kind: 'refund',
      idPrefix: 'txn',
      process: (tx, event, now) => this.refunds.processEvent(tx, event, now),
    });
    this.periodicTasks.registerDueItems(this.due);
    if (this.processor.refunds !== null) this.periodicTasks.registerDueItems(this.refunds);
  }

  onApplicationBootstrap(): void {
    this.hooks.freeze();
  }
}

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
        updated:
          'The reference or the metadata of a transaction was changed, or a second admin approved one that is still pending.',
        succeeded: 'A transaction succeeded, perhaps at its creation: its money has moved.',
        failed: 'A transaction failed, perhaps at its creation.',
        canceled: 'A pending transaction was canceled.',
      },
      response: TransactionResponse,
      render: transactionResponse,
    },
  ],
};
