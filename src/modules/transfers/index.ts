export { type Transfer, TransferHooks } from './transfer';
