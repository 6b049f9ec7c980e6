import { Module, OnApplicationBootstrap } from '@nestjs/common';
import { AccountsModule } from '../accounts';
import { LedgerVerification } from './application/ledger-verification';
import { Ledger } from './application/ledger.service';
import { JournalSources } from './domain/journal-sources';
import { JournalRepository } from './domain/journal.repository';
import { BalanceController } from './http/balance.controller';
import { TypeormJournalRepository } from './infrastructure/typeorm-journal.repository';

/** The double-entry journal under all transactions, and the balances that follow from it. */
@Module({
  imports: [AccountsModule],
  controllers: [BalanceController],
  providers: [
    Ledger,
    LedgerVerification,
    JournalSources,
    { provide: JournalRepository, useClass: TypeormJournalRepository },
  ],
  exports: [Ledger, LedgerVerification, JournalSources],
})
export class LedgerModule implements OnApplicationBootstrap {
  constructor(private readonly sources: JournalSources) {}

  onApplicationBootstrap(): void {
    this.sources.freeze();
  }
}
