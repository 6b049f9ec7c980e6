import { Registry } from '../../../kernel/registry';
import { Snapshot } from '../../../platform/database/snapshot';
import { TransactionSums } from './account-audit';

export interface AccountSums extends TransactionSums {
  readonly accountId: string;
}

/** What one transaction has moved. */
export interface Moved {
  readonly accountId: string;
  readonly transactionId: string;
  /** Minor units: above zero came in, below zero went out. */
  readonly amount: number;
  readonly currency: string;
}

export interface AccountFault {
  readonly accountId: string;
  readonly fault: string;
}

interface TransactionsSource {
  readonly name: 'transactions';
  /** The sums of every account that has transactions, by account id. All are in the order of their bytes. */
  sums(snapshot: Snapshot): AsyncIterable<AccountSums[]>;
  /** What has settled, by account id and transaction id. */
  settled(snapshot: Snapshot): AsyncIterable<Moved[]>;
  /** What does not hold among the transactions themselves. */
  faults(snapshot: Snapshot): AsyncIterable<AccountFault[]>;
}

/** The port by which transactions, which stand above, say what the journal should amount to. */
export class JournalSources extends Registry<TransactionsSource> {
  constructor() {
    super('JournalSources', ['transactions']);
  }
}
