import { DAY_MS } from '../../kernel/clock';
import type { Snapshot } from '../../platform/database/database';
import type { Entry } from './entry';

/** What was posted on the customer legs of all accounts, in minor units: sums may exceed what a number can hold. */
export interface PostedTotals {
  readonly currency: string;
  readonly totalIn: bigint;
  readonly totalOut: bigint;
  /** The part of both that has moved between accounts. */
  readonly totalMoved: bigint;
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

type Sums = Pick<DayTotals, 'totalIn' | 'totalOut' | 'totalMoved' | 'entryCount'>;

const NOTHING: Sums = { totalIn: 0n, totalOut: 0n, totalMoved: 0n, entryCount: 0 };

/** Compares the kept sums of days with the entries of the journal. Its memory grows with the days, not the entries. */
export class DailyTotalsAudit {
  private readonly byDay = new Map<string, Sums>();

  /**
   * @param rolledUntil until when the sums are kept (exclusive)
   * @param prefixesWithin how the ids of postings begin that move money between accounts
   */
  constructor(
    private readonly rolledUntil: Date,
    private readonly prefixesWithin: readonly string[],
  ) {}

  /** Adds up the entries that pass. */
  async *watch(batches: AsyncIterable<Entry[]>): AsyncIterable<Entry[]> {
    for await (const batch of batches) {
      for (const entry of batch) this.add(entry);
      yield batch;
    }
  }

  private add({ leg, postedAt, currency, amount, transactionId }: Entry): void {
    if (leg !== 'customer' || postedAt >= this.rolledUntil) return;
    const key = buildKey(Math.floor(postedAt.getTime() / DAY_MS), currency);
    const { totalIn, totalOut, totalMoved, entryCount } = this.byDay.get(key) ?? NOTHING;
    const isWithin = this.prefixesWithin.some((prefix) => transactionId.startsWith(prefix));
    this.byDay.set(key, {
      totalIn: amount > 0 ? totalIn + BigInt(amount) : totalIn,
      totalOut: amount < 0 ? totalOut - BigInt(amount) : totalOut,
      totalMoved: isWithin && amount > 0 ? totalMoved + BigInt(amount) : totalMoved,
      entryCount: entryCount + 1,
    });
  }

  /** @param kept the kept sums, which are read after all entries have passed @returns one line for each that is wrong */
  async faults(kept: AsyncIterable<DayTotals[]>): Promise<string[]> {
    const lines: string[] = [];
    for await (const batch of kept) {
      for (const sums of batch) {
        const key = buildKey(Date.parse(sums.day) / DAY_MS, sums.currency);
        lines.push(...findFault(sums.day, sums.currency, sums, this.byDay.get(key) ?? NOTHING));
        this.byDay.delete(key);
      }
    }
    for (const [key, actual] of this.byDay) {
      const [day, currency] = key.split(' ') as [string, string];
      lines.push(
        ...findFault(new Date(Number(day) * DAY_MS).toISOString().slice(0, 10), currency, NOTHING, actual),
      );
    }
    return lines;
  }
}

function buildKey(day: number, currency: string): string {
  return `${day} ${currency}`;
}

function findFault(day: string, currency: string, kept: Sums, actual: Sums): string[] {
  const isSame =
    kept.totalIn === actual.totalIn &&
    kept.totalOut === actual.totalOut &&
    kept.totalMoved === actual.totalMoved &&
    kept.entryCount === actual.entryCount;
  return isSame
    ? []
    : [`daily totals of ${day} in ${currency}: ${text(kept)}, the journal has ${text(actual)}`];
}

function text({ totalIn, totalOut, totalMoved, entryCount }: Sums): string {
  return `${totalIn} in, ${totalOut} out and ${totalMoved} of it moved in ${entryCount} postings`;
}
