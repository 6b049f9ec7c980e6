import { Snapshot } from '../../../platform/database/snapshot';
import { Tx } from '../../../platform/database/tx';
import { Entry } from './entry';
import { Moved } from './journal-sources';

export abstract class JournalRepository {
  /** Queues the entries of one posting, all in one statement: the database refuses them unless they sum to zero. */
  abstract append(tx: Tx, entries: readonly Entry[]): void;
  /** The account's posted balance at a moment. */
  abstract postedAt(accountId: string, at: Date): Promise<number>;
  /** Every entry there is, by account and number, in batches. */
  abstract stream(snapshot: Snapshot): AsyncIterable<Entry[]>;
  /** What is posted, by account id and transaction id, in batches. */
  abstract postings(snapshot: Snapshot): AsyncIterable<Moved[]>;
}
