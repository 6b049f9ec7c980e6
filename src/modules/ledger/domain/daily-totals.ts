import type { Snapshot } from '../../../platform/database/tx';

/** What was posted on the customer legs of all accounts, in minor units: sums may exceed what a number can hold. */
export interface PostedTotals {
  readonly currency: string;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  /** How many postings there were. */
  readonly entryCount: number;
}

/** The same of one day in UTC, `2026-10-31`. */
export interface DayTotals extends PostedTotals {
  readonly day: string;
}

/** Days in UTC, both inclusive. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

/** What all entries sum up to: those of some days by day, and all others in one row (day null) for each currency. */
export type TotalsByDay = readonly (PostedTotals & { readonly day: string | null })[];

/** Sums of the journal by day. They are kept up to a time that the journal does not add to any more. */
export abstract class DailyTotalsRepository {
  /**
   * Adds the entries of the next time span to the kept sums.
   * @param until the end of the span at the latest
   * @returns how many postings were added, and whether there may be more before `until`
   */
  abstract rollUp(until: Date, spanMs: number): Promise<{ added: number; hasMore: boolean }>;
  /**
   * Sums up the whole journal as it is now: the kept sums, and the entries since.
   * @param currency null for all
   */
  abstract totals(days: Days, currency: string | null): Promise<TotalsByDay>;
  /** Until when the sums are kept (exclusive). */
  abstract rolledUntil(snapshot: Snapshot): Promise<Date>;
  /** All kept sums, in batches. */
  abstract kept(snapshot: Snapshot): AsyncIterable<DayTotals[]>;
}
