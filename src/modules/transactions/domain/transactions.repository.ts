import type {
  AccountOwnedFilter,
  AmountFilter,
  AmountOrder,
  Backlog,
} from '../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../platform/database/account-owned-repository';
import type { Snapshot, Tx } from '../../../platform/database/database';
import type { Direction } from '../../accounts';
import type { AccountFault } from '../../ledger';
import type { Transaction } from './transaction';

export type TransactionFilter = AccountOwnedFilter<Transaction> & AmountFilter & AmountOrder;
export type TransactionKey = Pick<Transaction, 'accountId' | 'id'>;

export abstract class TransactionsRepository extends AccountOwnedRepository<Transaction, TransactionFilter> {
  abstract exists(tx: Tx, accountId: string, id: string): Promise<boolean>;
  /** Locks pending transactions after an id, oldest first, except refunds that the processor executes. */
  abstract lockUnsent(tx: Tx, accountId: string, after: string, limit: number): Promise<Transaction[]>;
  /** Locks those of the given transactions that are due, in the order of `ids`. */
  abstract lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Transaction[]>;
  /** Finds scheduled transactions that are due, the earliest first, without locks. */
  abstract findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<TransactionKey[]>;
  /** Finds refunds that are due to be sent to the processor, the earliest first, without locks. */
  abstract findDueRefunds(
    now: Date,
    excludedIds: readonly string[],
    limit: number,
  ): Promise<TransactionKey[]>;
  /** What is pending in all accounts. */
  abstract backlogs(): Promise<Readonly<Record<Direction, Backlog>>>;
  /** Payments whose refunded amount differs from the sum of the refunds that name them. */
  abstract faults(snapshot: Snapshot): AsyncIterable<AccountFault[]>;
}
