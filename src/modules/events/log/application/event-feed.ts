import { Injectable } from '@nestjs/common';
import { Tx } from '../../../../platform/database/tx';
import { Event } from '../domain/event';
import { EventsRepository } from '../domain/events.repository';

/**
 * The events that a module delivers to other systems: those that are recorded while the account has them delivered (see
 * Account.deliverEvents).
 */
@Injectable()
export class EventFeed {
  /** The account whose turn was last. */
  private last = '';

  constructor(private readonly repository: EventsRepository) {}

  /**
   * Removes events from the feed, the oldest of each account first. They are on it again if `tx` is rolled back, so the
   * caller records in `tx` what is to be delivered to whom. Several callers at a time get different events.
   *
   * Accounts take turns: one with more events than the callers can take delays the others by `limit` of its events.
   */
  async dequeue(tx: Tx, limit: number): Promise<Event[]> {
    const { events, last } = await this.repository.dequeueFromFeed(tx, this.last, limit);
    this.last = last;
    return events;
  }

  /** @returns null for an event that does not exist or is older than 30 days */
  find(accountId: string, id: string): Promise<Event | null> {
    return this.repository.find(id, accountId);
  }
}
