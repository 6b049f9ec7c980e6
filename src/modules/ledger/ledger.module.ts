import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts/accounts.module';
import { DailyTotals } from './application/daily-totals.service';
import { Ledger } from './application/ledger.service';
import { LedgerVerification } from './application/ledger-verification.service';
import { DailyTotalsRepository } from './domain/daily-totals';
import { JournalRepository } from './domain/journal.repository';
import { Subledgers } from './domain/ledger';
import { LedgerController } from './http/ledger.controller';
import { entrySchema } from './infrastructure/entry.schema';
import { SqlDailyTotalsRepository } from './infrastructure/sql-daily-totals.repository';
import { SqlJournalRepository } from './infrastructure/sql-journal.repository';

/** The double-entry journal, and the balances that follow from it. */
@Module({
  imports: [AccountsModule],
  controllers: [LedgerController],
  providers: [
    DailyTotals,
    LedgerVerification,
    Subledgers,
    Ledger,
    { provide: JournalRepository, useClass: SqlJournalRepository },
    { provide: DailyTotalsRepository, useClass: SqlDailyTotalsRepository },
    register(PeriodicTasks, [DailyTotals], (dailyTotals) => dailyTotals),
  ],
  exports: [DailyTotals, JournalRepository, Ledger, LedgerVerification],
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

export const ledger: ServiceModule = { module: LedgerModule, entities: [entrySchema], idPrefixes: ['ent'] };
