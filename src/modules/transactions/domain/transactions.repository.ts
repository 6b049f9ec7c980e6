import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Snapshot } from '../../../platform/database/snapshot';
import { Tx } from '../../../platform/database/tx';
import { AccountFault, AccountSums, Moved } from '../../ledger';
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
  /** Takes so much from what is promised or refunded of a payment. Only while its account is locked. */
  abstract releaseRefund(tx: Tx, accountId: string, id: string, amount: number): void;
  abstract lockPending(tx: Tx, accountId: string): Promise<Transaction[]>;
  /** Locks what is due in an account, at most `limit` of it, the earliest first. */
  abstract lockDue(tx: Tx, accountId: string, now: Date, limit: number): Promise<Transaction[]>;
  /** Accounts in which something is due, but those of `except`; those that wait longest first. */
  abstract accountsWithDue(now: Date, except: readonly string[], limit: number): Promise<string[]>;
  /**
   * Takes out the refund that has been due to be sent for longest, and marks it as in the provider's hands. Nobody else
   * takes it out again for a while, which grows with its age: that is also how long a failed try waits.
   */
  abstract takeToSend(now: Date): Promise<Transaction | null>;
  /** The sums of every account's transactions by what has become of them, by account id, in batches. */
  abstract sums(snapshot: Snapshot): AsyncIterable<AccountSums[]>;
  /** What has settled, by account id and id, in batches. */
  abstract settled(snapshot: Snapshot): AsyncIterable<Moved[]>;
  /** Payments that do not say what the refunds that name them come to. */
  abstract faults(snapshot: Snapshot): AsyncIterable<AccountFault[]>;
}
