import {
  AccountOwnedFilter,
  AccountOwnedRepository,
} from '../../../platform/database/account-owned-repository';
import { Tx } from '../../../platform/database/tx';
import { Event } from './event';

export type EventFilter = AccountOwnedFilter<Event, 'type' | 'objectId'>;

export abstract class EventsRepository extends AccountOwnedRepository<Event, EventFilter> {
  /** Puts an event on the feed. */
  abstract addToFeed(tx: Tx, event: Event): void;
  /** Removes events from the feed, the oldest first. Several callers at a time get different events. */
  abstract dequeueFromFeed(tx: Tx, limit: number): Promise<Event[]>;
  /** Counts the events on the feed, up to 10,000. */
  abstract countOnFeed(): Promise<number>;
  /** When the oldest event on the feed was recorded; null when there is none. */
  abstract oldestOnFeed(): Promise<Date | null>;
  /** Deletes a bounded number of events that were recorded before a time. @returns whether there may be more */
  abstract deleteRecordedBefore(time: Date): Promise<boolean>;
}
