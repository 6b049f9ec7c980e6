import { ExtensionPoint } from '../../../kernel/extension-point';
import type { Tx } from '../../../platform/database/tx';

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
export interface EventSummary {
  readonly name: string;
  /** Until when events have been added (exclusive). */
  summedUntil(): Promise<Date>;
}

export class EventSummaries extends ExtensionPoint<EventSummary> {
  constructor() {
    super('EventSummaries');
  }
}
