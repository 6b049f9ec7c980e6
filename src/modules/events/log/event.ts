import type { FieldsOf } from '../../../kernel/entity';

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
