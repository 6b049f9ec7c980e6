import { Module, OnApplicationBootstrap, OnModuleInit } from '@nestjs/common';
import { CONFIG, Config, ConfigError } from '../../platform/config/config';
import { Database } from '../../platform/database/database';
import { Sweeps } from '../../platform/jobs/sweeps';
import { AccountClosing, AccountsModule } from '../accounts';
import { JournalSources, LedgerModule } from '../ledger';
import { PaymentProvider, ProvidersModule } from '../providers';
import { DueTransactions } from './application/due-transactions';
import { ProviderRefunds } from './application/provider-refunds';
import { TransactionSteps } from './application/transaction-steps';
import { Transactions } from './application/transactions.service';
import { Processor } from './domain/processor';
import { TransactionHooks } from './domain/transaction-hooks';
import { TransactionsRepository } from './domain/transactions.repository';
import { TransactionsController } from './http/transactions.controller';
import { ManualProcessor } from './infrastructure/manual.processor';
import { SandboxProcessor } from './infrastructure/sandbox.processor';
import { StripeProcessor } from './infrastructure/stripe.processor';
import { TypeormTransactionsRepository } from './infrastructure/typeorm-transactions.repository';

/** Payments, credits and refunds of an account. */
@Module({
  imports: [AccountsModule, LedgerModule, ProvidersModule],
  controllers: [TransactionsController],
  providers: [
    Transactions,
    TransactionSteps,
    DueTransactions,
    ProviderRefunds,
    TransactionHooks,
    { provide: TransactionsRepository, useClass: TypeormTransactionsRepository },
    { provide: Processor, inject: [CONFIG, PaymentProvider], useFactory: processorOf },
  ],
  exports: [ProviderRefunds, TransactionHooks, TransactionSteps],
})
export class TransactionsModule implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly closing: AccountClosing,
    private readonly sources: JournalSources,
    private readonly sweeps: Sweeps,
    private readonly steps: TransactionSteps,
    private readonly due: DueTransactions,
    private readonly refunds: ProviderRefunds,
    private readonly repository: TransactionsRepository,
    private readonly processor: Processor,
    private readonly database: Database,
  ) {}

  onModuleInit(): void {
    this.closing.join({
      name: 'transactions',
      carryOut: (tx, account, now) => this.steps.cancelAllOf(tx, account, now),
    });
    this.sources.join({
      name: 'transactions',
      sums: (snapshot) => this.repository.sums(snapshot),
      settled: (snapshot) => this.repository.settled(snapshot),
      faults: (snapshot) => this.repository.faults(snapshot),
    });
    this.sweeps.join({ name: 'transactions', run: (now) => this.due.run(now) });
    this.sweeps.join({ name: 'refunds at the provider', run: (now) => this.refunds.sendDue(now) });
  }

  /** A database remembers what its money is, so that play money never becomes real. */
  async onApplicationBootstrap(): Promise<void> {
    const { kind } = this.processor;
    await this.database.read('INSERT INTO installation (processor_kind) VALUES ($1) ON CONFLICT DO NOTHING', [
      kind,
    ]);
    const [row] = await this.database.read<{ processor_kind: string }>(
      'SELECT processor_kind FROM installation',
      [],
    );
    if (row?.processor_kind !== kind) {
      throw new ConfigError(
        `PROCESSOR: this database is for ${row?.processor_kind} money, not for ${kind} money`,
      );
    }
  }
}

function processorOf(
  { processor, settlementDelaySeconds }: Config,
  provider: PaymentProvider | null,
): Processor {
  if (provider !== null) return new StripeProcessor(provider);
  return processor === 'sandbox' ? new SandboxProcessor(settlementDelaySeconds) : new ManualProcessor();
}
