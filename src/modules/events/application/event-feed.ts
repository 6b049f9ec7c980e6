import { Injectable } from '@nestjs/common';
import { Tx } from '../../../platform/database/tx';
import { Event } from '../domain/event';
import { EventsRepository } from '../domain/events.repository';

/**
 * The events that a module delivers to other systems: those that are recorded while the account has them delivered (see
 * Account.deliverEvents).
 */
@Injectable()
export class EventFeed {
  constructor(private readonly repository: EventsRepository) {}

  /**
   * Removes events from the feed, the oldest first. They are on it again if `tx` is rolled back, so the caller records in
   * `tx` what is to be delivered to whom. Several callers at a time get different events.
   */
  dequeue(tx: Tx, limit: number): Promise<Event[]> {
    return this.repository.dequeueFromFeed(tx, limit);
  }

  /** @returns null for an event that does not exist or is older than 30 days */
  find(accountId: string, id: string): Promise<Event | null> {
    return this.repository.find(id, accountId);
  }
}
