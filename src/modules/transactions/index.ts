export type { ReadonlyTransaction as Transaction } from './domain/transaction';
export { MovementHooks, TransactionHooks } from './domain/transaction-hooks';
export type { TransactionHook, TransactionTransition } from './domain/transaction-hooks';
export { PaymentSplits, TransactionProcessing } from './domain/transaction-processing';
export type { PaymentSplitter, PaymentToSplit, RefundedPayment } from './domain/transaction-processing';
export { noOutcomes, OutcomeTotals } from './outcomes/outcome-totals';
export type { CurrencyOutcomes, OutcomeCounts, OutcomesByType } from './outcomes/outcome-totals';
