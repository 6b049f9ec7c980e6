import type { FieldsOf } from '../../../kernel/entity';
import type { Tx } from '../../../platform/database/tx';

/** A change of a resource. It never changes, and is deleted after 30 days. */
export class Event {
  /** The account that the event belongs to; the id of the resource where only operators see the event. */
  readonly accountId: string;
  readonly id: string;
  readonly type: string;
  readonly objectId: string;
  /** Numbers the events of one resource, from 1 without gaps. */
  readonly sequence: number;
  /** The resource after the change, as the API shows it. */
  readonly object: object;
  /** The version of the API in which it shows it. */
  readonly apiVersion: string;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<Event>) {
    Object.assign(this, fields);
  }

  static of(fields: FieldsOf<Event>): Event {
    return new Event(fields);
  }
}

/** Events as clients see them, in lists and in webhooks. */
export abstract class EventRenderer {
  /** Renders an event in the newest version of the API; its object is in the version of its time. */
  abstract render(event: Readonly<Event>): object;
  /** Renders an event in a version of the API, or in that of its time, if that is older. */
  abstract renderIn(version: string, event: Readonly<Event>): object;
}

/**
 * The events that a module delivers to other systems: those that are recorded while the account has them delivered (see
 * Account.deliverEvents).
 */
export abstract class EventFeed {
  /**
   * Removes events from the feed, the oldest of each account first. They are on it again if `tx` is rolled back, so the
   * caller records in `tx` what is to be delivered to whom. Several callers at a time get different events.
   *
   * Accounts take turns: one with more events than the callers can take delays the others by `limit` of its events.
   */
  abstract dequeue(tx: Tx, limit: number): Promise<Event[]>;

  /** @returns null for an event that does not exist or is older than 30 days */
  abstract find(accountId: string, id: string): Promise<Event | null>;
}
