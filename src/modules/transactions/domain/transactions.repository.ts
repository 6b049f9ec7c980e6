import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Tx } from '../../../platform/database/tx';
import { Transaction, TransactionType } from './transaction';
import { TransactionStatus } from './transaction.lifecycle';

export interface TransactionFilter {
  readonly accountId?: string;
  readonly status?: TransactionStatus;
  readonly type?: TransactionType;
  readonly reference?: string;
  /** Inclusive bounds of the creation. */
  readonly from?: Date;
  readonly to?: Date;
}

export abstract class TransactionsRepository {
  /** Within one account, or (accountId null) in any. */
  abstract find(id: string, accountId: string | null): Promise<Transaction | null>;
  abstract list(filter: TransactionFilter, request: CursorRequest): Promise<CursorPage<Transaction>>;
  abstract lock(tx: Tx, accountId: string, id: string): Promise<Transaction | null>;
  abstract add(tx: Tx, transaction: Transaction): void;
  abstract save(tx: Tx, transaction: Transaction): void;
  /** Cancels all that the lifecycle lets be canceled under an account, in one statement. */
  abstract cancelPending(tx: Tx, accountId: string, now: Date): void;
}
