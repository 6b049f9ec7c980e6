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
