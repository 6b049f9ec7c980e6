import { Module, OnModuleInit } from '@nestjs/common';
import { CONFIG, Config } from '../../platform/config/config';
import { Sweeps } from '../../platform/jobs/sweeps';
import { AccountClosing, AccountsModule } from '../accounts';
import { JournalSources, LedgerModule } from '../ledger';
import { TransactionSteps } from './application/transaction-steps';
import { Transactions } from './application/transactions.service';
import { Processor } from './domain/processor';
import { TransactionHooks } from './domain/transaction-hooks';
import { TransactionsRepository } from './domain/transactions.repository';
import { TransactionsController } from './http/transactions.controller';
import { ManualProcessor } from './infrastructure/manual.processor';
import { SandboxProcessor } from './infrastructure/sandbox.processor';
import { TypeormTransactionsRepository } from './infrastructure/typeorm-transactions.repository';

/** Payments, credits and refunds of an account. */
@Module({
  imports: [AccountsModule, LedgerModule],
  controllers: [TransactionsController],
  providers: [
    Transactions,
    TransactionSteps,
    TransactionHooks,
    { provide: TransactionsRepository, useClass: TypeormTransactionsRepository },
    { provide: Processor, inject: [CONFIG], useFactory: processorOf },
  ],
  exports: [TransactionHooks],
})
export class TransactionsModule implements OnModuleInit {
  constructor(
    private readonly closing: AccountClosing,
    private readonly sources: JournalSources,
    private readonly sweeps: Sweeps,
    private readonly steps: TransactionSteps,
    private readonly repository: TransactionsRepository,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'transactions',
      carryOut: (tx, account, now) => this.steps.cancelAllOf(tx, account, now),
    });
    this.sources.join({ name: 'transactions', sums: (snapshot) => this.repository.sums(snapshot) });
    this.sweeps.join({ name: 'transactions', run: (now) => this.steps.advanceDue(now) });
  }
}

function processorOf({ processor, settlementDelaySeconds }: Config): Processor {
  return processor === 'sandbox' ? new SandboxProcessor(settlementDelaySeconds) : new ManualProcessor();
}
