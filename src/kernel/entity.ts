/**
 * The data members of a class, as its private constructor takes them: a missing member does not compile.
 * Methods are left out. Getters look like data to the type system, so the class names them in `Getter`.
 */
export type FieldsOf<T, Getter extends keyof T = never> = {
  readonly [K in Exclude<keyof T, Getter> as T[K] extends (...args: never[]) => unknown ? never : K]: T[K];
};

/** Something that has happened to a resource. */
export interface CollectedEvent {
  /** A type that a module declares (ServiceModule), for example `transaction.created`. */
  readonly type: string;
  /** The account that the event belongs to; null for an event that only admins and platform systems see. */
  readonly accountId: string | null;
}

/** What has happened to each resource since its last save. It is not a member, since members are columns. */
const unsaved = new WeakMap<EventSource, CollectedEvent[]>();

/**
 * A resource whose changes are recorded as events. Its methods collect them, and its repository writes them with the row.
 * A subclass stores the count with its other members.
 */
export abstract class EventSource {
  abstract readonly id: string;
  /** How many events of this resource were recorded: the number of the last one. It never restarts. */
  eventCount: number;

  /** Collects an event, for the methods of the resource itself. */
  addEvent(type: string, accountId: string | null): this {
    unsaved.set(this, [...(unsaved.get(this) ?? []), { type, accountId }]);
    return this;
  }

  /** Hands over what was collected since the last save, in order. */
  takeEvents(): readonly CollectedEvent[] {
    const events = unsaved.get(this) ?? [];
    unsaved.delete(this);
    return events;
  }

  /** Counts one more event. @returns its number, from 1 */
  countEvent(): number {
    this.eventCount += 1;
    return this.eventCount;
  }
}
