import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts/accounts.module';
import { DailyTotals } from './application/daily-totals.service';
import { JournalEntries } from './application/journal-entries';
import { JournalLedger } from './application/journal-ledger.service';
import { LedgerVerificationService } from './application/ledger-verification.service';
import { DailyTotalsRepository } from './domain/daily-totals';
import { JournalRepository } from './domain/journal.repository';
import { Ledger } from './domain/ledger';
import { LedgerVerification } from './domain/ledger-verification';
import { Subledgers } from './domain/subledgers';
import { BalanceController } from './http/balance.controller';
import { EntriesController } from './http/entries.controller';
import { entrySchema } from './infrastructure/entry.schema';
import { PostgresDailyTotals } from './infrastructure/postgres-daily-totals.repository';
import { SqlJournalRepository } from './infrastructure/sql-journal.repository';

/** The double-entry journal, and the balances that follow from it. */
@Module({
  imports: [AccountsModule],
  controllers: [BalanceController, EntriesController],
  providers: [
    DailyTotals,
    JournalEntries,
    { provide: LedgerVerification, useClass: LedgerVerificationService },
    Subledgers,
    { provide: Ledger, useClass: JournalLedger },
    { provide: JournalRepository, useClass: SqlJournalRepository },
    { provide: DailyTotalsRepository, useClass: PostgresDailyTotals },
    register(PeriodicTasks, [DailyTotals], (dailyTotals) => dailyTotals),
  ],
  exports: [DailyTotals, JournalEntries, Ledger, LedgerVerification],
})
export class LedgerModule implements OnApplicationBootstrap {
  constructor(
    private readonly subledgers: Subledgers,
    private readonly journal: JournalRepository,
  ) {}

  /** A subledger that the audit cannot read stops the start. */
  async onApplicationBootstrap(): Promise<void> {
    for (const table of this.subledgers.members) await this.journal.assertReadable(table);
  }
}

export const ledger: ServiceModule = {
  module: LedgerModule,
  entities: [entrySchema],
};
