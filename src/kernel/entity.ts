/**
 * The data members of a class, as its private constructor takes them: a missing member does not compile.
 * Methods are left out. Getters look like data to the type system, so the class names them in `Getter`.
 */
export type FieldsOf<T, Getter extends keyof T = never> = {
  readonly [K in Exclude<keyof T, Getter> as T[K] extends (...args: never[]) => unknown ? never : K]: T[K];
};

/** A resource whose changes are recorded as events. A subclass stores the count with its other members. */
export abstract class EventSource {
  abstract readonly id: string;
  /** How many events of this resource were recorded: the number of the last one. It never restarts. */
  eventCount: number;

  /** Counts one more event. @returns its number, from 1 */
  countEvent(): number {
    this.eventCount += 1;
    return this.eventCount;
  }
}
