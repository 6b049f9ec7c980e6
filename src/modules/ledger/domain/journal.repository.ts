import { Snapshot } from '../../../platform/database/snapshot';
import { Tx } from '../../../platform/database/tx';
import { Entry } from './entry';
import { AccountFault, Moved } from './journal-sources';

export abstract class JournalRepository {
  /** Queues the entries of one posting, all in one statement: the database refuses them unless they sum to zero. */
  abstract append(tx: Tx, entries: readonly Entry[]): void;
  /** The account's posted balance at a moment. */
  abstract postedAt(accountId: string, at: Date): Promise<number>;
  /** Every entry that can be read, by account and number, in batches. Accounts are in the order of their bytes. */
  abstract stream(snapshot: Snapshot): AsyncIterable<Entry[]>;
  /** What is posted, by account id and transaction id, in batches. */
  abstract postings(snapshot: Snapshot): AsyncIterable<Moved[]>;
  /** The entries that no service can have written. */
  abstract unreadable(snapshot: Snapshot): AsyncIterable<AccountFault[]>;
  /** Whether the triggers that keep the journal are in place. */
  abstract isGuarded(snapshot: Snapshot): Promise<boolean>;
}
