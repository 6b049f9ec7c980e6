export type { ReadonlyTransaction as Transaction } from './domain/transaction';
export { TransactionHooks } from './domain/transaction-hooks';
export type { TransactionHook, TransactionTransition } from './domain/transaction-hooks';
export { PendingTransactions } from './domain/pending-transactions';
export { TransactionProcessing } from './domain/transaction-processing';
