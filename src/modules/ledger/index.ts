export { type CurrencyTotals, DailyTotals } from './application/daily-totals.service';
export type { Days } from './domain/daily-totals';
export { SETTLING_TIME_MS } from './domain/journal.repository';
export { LedgerVerification } from './application/ledger-verification.service';
export { Ledger } from './application/ledger.service';
export type { AccountFault, Posting, Subledger } from './domain/ledger';
