export type { Transfer } from './transfer';
export { TransferHooks } from './transfer';
