export { type CurrencyTotals, DailyTotals } from './daily-totals.service';
export type { Days } from './daily-totals';
export { SETTLING_TIME_MS } from './entry';
export { LedgerVerification } from './ledger-verification.service';
export { Ledger } from './ledger.service';
export type { AccountFault, Posting, Subledger } from './ledger';
