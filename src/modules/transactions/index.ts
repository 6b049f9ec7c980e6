export { TransactionsModule } from './transactions.module';
export type { Transaction } from './domain/transaction';
export { TransactionHooks } from './domain/transaction-hooks';
export type { TransactionHook, TransactionStep } from './domain/transaction-hooks';
export { ProviderRefunds } from './application/provider-refunds';
export { TransactionSteps } from './application/transaction-steps';
