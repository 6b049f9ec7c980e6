import type { FieldsOf } from '../../../kernel/entity';
import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Tx } from '../../../platform/database/database';

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

/** Which events are added up, and by what. */
export interface SummedEvents {
  readonly types: readonly string[];
  /** Members of the objects: the sums of their values are separate. */
  readonly by: readonly string[];
  /** A member with a number. */
  readonly summed: string;
}

/** The events of one type and one hour whose objects have the same values. */
export interface EventSum {
  readonly hour: Date;
  readonly eventType: string;
  /** The values in the order of `by`; null for a member that the objects do not have. */
  readonly values: readonly (string | null)[];
  readonly count: number;
  readonly sum: bigint;
}

/** Sums of the events of all accounts. */
export abstract class EventSums {
  /** @returns the time of the first such event at a time or later; null if there is none */
  abstract firstSince(tx: Tx, types: readonly string[], since: Date): Promise<Date | null>;
  /** @param until exclusive @param source a transaction or the database */
  abstract between(
    source: Pick<Tx, 'query'>,
    events: SummedEvents,
    from: Date,
    until: Date,
  ): Promise<EventSum[]>;
}

/** What keeps sums of events, which are deleted after 30 days, but not before they are added. */
interface EventSummary {
  readonly name: string;
  /** Until when events have been added (exclusive). */
  summedUntil(): Promise<Date>;
}

export class EventSummaries extends ExtensionPoint<EventSummary> {}
