export { ledger, LedgerModule } from './ledger.module';
export { LedgerVerification } from './application/ledger-verification';
export { Ledger } from './domain/ledger';
export type { AccountFault, Posting, Subledger, SubledgerTable } from './domain/ledger';
