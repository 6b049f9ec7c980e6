export type { ReadonlyTransaction as Transaction } from './domain/transaction';
export { TransactionHooks } from './domain/transaction-hooks';
export type { TransactionHook, TransactionTransition } from './domain/transaction-hooks';
export { PendingTransactions } from './application/pending-transactions';
export { TransactionProcessing } from './application/transaction-processing';
