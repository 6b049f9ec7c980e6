import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { register } from '../../platform/register';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts/accounts.module';
import { DailyTotals } from './daily-totals.service';
import { Ledger } from './ledger.service';
import { LedgerVerification } from './ledger-verification.service';
import { SqlDailyTotalsRepository } from './sql-daily-totals.repository';
import { DailyTotalsRepository } from './daily-totals';
import { entrySchema, JournalRepository } from './journal.repository';
import { Subledgers } from './ledger';
import { LedgerController } from './ledger.controller';

/** The double-entry journal, and the balances that follow from it. */
@Module({
  imports: [AccountsModule],
  controllers: [LedgerController],
  providers: [
    DailyTotals,
    LedgerVerification,
    Subledgers,
    Ledger,
    JournalRepository,
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
