import type { AccountOwnedFilter } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedRepository } from '../../../../platform/database/account-owned-repository';
import type { Tx } from '../../../../platform/database/tx';
import type { Event } from './event';

export type EventFilter = AccountOwnedFilter<Event, 'objectId'> & {
  /** One type, or any of several. */
  readonly type?: string | readonly string[];
};

export interface DequeuedEvents {
  readonly events: Event[];
  /** The account of the last of them, which may have more. */
  readonly last: string;
}

export abstract class EventsRepository extends AccountOwnedRepository<Event, EventFilter> {
  /** Puts an event on the feed. */
  abstract addToFeed(tx: Tx, event: Event): void;
  /**
   * Removes events from the feed, account by account in the order of their ids, the oldest of each first. Several callers at
   * a time get different events.
   * @param after begins with the accounts after this one, and comes to it last
   */
  abstract dequeueFromFeed(tx: Tx, after: string, limit: number): Promise<DequeuedEvents>;
  /** Counts the events on the feed, up to 10,000. */
  abstract countOnFeed(): Promise<number>;
  /** When the oldest event on the feed was recorded; null when there is none. */
  abstract oldestOnFeed(): Promise<Date | null>;
  /** Deletes a bounded number of events that were recorded before a time. @returns whether there may be more */
  abstract deleteRecordedBefore(time: Date): Promise<boolean>;
}
