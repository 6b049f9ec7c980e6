export { LedgerModule } from './ledger.module';
export { LedgerVerification } from './application/ledger-verification';
export { Ledger } from './application/ledger.service';
export type { Movement } from './application/ledger.service';
export { JournalSources } from './domain/journal-sources';
export type { AccountFault, AccountSums, Moved } from './domain/journal-sources';
