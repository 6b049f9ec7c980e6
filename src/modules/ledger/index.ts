export { ledger, LedgerModule } from './ledger.module';
export { JournalEntries } from './application/journal-entries';
export { LedgerVerification } from './application/ledger-verification';
export type { Entry } from './domain/entry';
export { Ledger } from './domain/ledger';
export type { AccountFault, Posting, Subledger, SubledgerTable } from './domain/ledger';
export { EntryResponse } from './http/entries.dto';
