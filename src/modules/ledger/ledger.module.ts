import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts';
import { JournalLedger } from './application/journal-ledger.service';
import { JournalEntries } from './application/journal-entries';
import { LedgerVerification } from './application/ledger-verification';
import { JournalRepository } from './domain/journal.repository';
import { Ledger } from './domain/ledger';
import { Subledgers } from './domain/subledgers';
import { BalanceController } from './http/balance.controller';
import { EntriesController } from './http/entries.controller';
import { TypeormJournalRepository } from './infrastructure/typeorm-journal.repository';
import { entrySchema } from './infrastructure/entry.schema';

/** The double-entry journal, and the balances that follow from it. */
@Module({
  imports: [AccountsModule],
  controllers: [BalanceController, EntriesController],
  providers: [
    JournalEntries,
    LedgerVerification,
    Subledgers,
    { provide: Ledger, useClass: JournalLedger },
    { provide: JournalRepository, useClass: TypeormJournalRepository },
  ],
  exports: [JournalEntries, Ledger, LedgerVerification],
})
export class LedgerModule implements OnApplicationBootstrap {
  constructor(
    private readonly subledgers: Subledgers,
    private readonly journal: JournalRepository,
  ) {}

  /** A subledger that the audit cannot read stops the start. */
  async onApplicationBootstrap(): Promise<void> {
    this.subledgers.freeze();
    for (const table of this.subledgers.members) await this.journal.assertReadable(table);
  }
}

export const ledger: ServiceModule = {
  module: LedgerModule,
  entities: [entrySchema],
};
