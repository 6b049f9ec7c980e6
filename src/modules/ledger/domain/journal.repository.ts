import { HOUR_MS } from '../../../kernel/clock';
import type { CursorPage, CursorRequest } from '../../../kernel/pages';
import type { Snapshot, Tx } from '../../../platform/database/database';
import type { DescribedEntry, Entry } from './entry';
import type { AccountFault, PostedAmount, SubledgerAmount, SubledgerTable } from './ledger';

/**
 * How long after a time nothing is posted any more with that time or an earlier one: no transaction takes as long, and no
 * clock is as wrong.
 */
export const SETTLING_TIME_MS = HOUR_MS;

export interface EntryFilter {
  /** Only the entries of the customer leg by default. */
  readonly legs?: 'both';
  /** Inclusive bounds of the time of the posting. */
  readonly dateFrom?: Date;
  readonly dateTo?: Date;
}

/** What was posted to an account in a time, in minor units. */
export interface JournalSummary {
  /** The balances before the first and after the last entry. */
  readonly opening: number;
  readonly closing: number;
  readonly totalIn: number;
  readonly totalOut: number;
  /** The number of entries of the customer leg. */
  readonly count: number;
}

export abstract class JournalRepository {
  /** Queues the entries of one posting in one statement. The database rejects them unless they sum to zero. */
  abstract append(tx: Tx, entries: readonly Entry[]): void;
  /** The account's posted balance at a point in time. */
  abstract postedAt(accountId: string, at: Date): Promise<number>;
  /** One page of an account's entries, newest first. @param page its cursors are numbers of entries */
  abstract list(
    accountId: string,
    filter: EntryFilter,
    page: CursorRequest,
  ): Promise<CursorPage<DescribedEntry>>;
  abstract count(snapshot: Snapshot): Promise<number>;
  /** The entries of the customer leg between two times, both inclusive: their sums and the balances around them. */
  abstract summary(accountId: string, from: Date, until: Date): Promise<JournalSummary>;
  /** The same entries, oldest first, in batches. They are complete if nothing is posted at these times any more. */
  abstract between(accountId: string, from: Date, until: Date): AsyncIterable<DescribedEntry[]>;
  /** All entries that can be read, in batches, by account id (byte order) and number. */
  abstract stream(snapshot: Snapshot): AsyncIterable<Entry[]>;
  /** All postings, in batches, by account id and transaction id (byte order). */
  abstract postings(snapshot: Snapshot): AsyncIterable<PostedAmount[]>;
  /** The held and posted amounts of a subledger, in batches, by account id and row id (byte order). */
  abstract amounts(snapshot: Snapshot, table: SubledgerTable): AsyncIterable<SubledgerAmount[]>;
  /** @throws Error when the table or one of the columns of a subledger does not exist */
  abstract assertReadable(table: SubledgerTable): Promise<void>;
  /** Entries with values that the service cannot have written. */
  abstract unreadable(snapshot: Snapshot): AsyncIterable<AccountFault[]>;
  /** One line for each trigger that should protect the journal and does not. */
  abstract guardFaults(snapshot: Snapshot): Promise<readonly string[]>;
}
