import { parseTimestamp } from '../../../kernel/clock';
import type { DescribedEntry } from '../entry';

const PERIOD = /^(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?$/;

/** A year, a month or a day in UTC. */
export class Period {
  private constructor(
    /** `2026`, `2026-10` or `2026-10-31`. */
    readonly name: string,
    readonly start: Date,
    /** The first moment after the period. */
    readonly end: Date,
  ) {}

  /** @returns null for a text that names no period */
  static parse(text: string): Period | null {
    const [, year, month, day] = PERIOD.exec(text) ?? [];
    const start = parseTimestamp(`${year}-${month ?? '01'}-${day ?? '01'}T00:00:00Z`);
    if (start === null) return null;
    const end = new Date(start);
    if (day !== undefined) end.setUTCDate(end.getUTCDate() + 1);
    else if (month !== undefined) end.setUTCMonth(end.getUTCMonth() + 1);
    else end.setUTCFullYear(end.getUTCFullYear() + 1);
    return new Period(text, start, end);
  }

  /** The last millisecond of the period: times are stored to the millisecond. */
  get last(): Date {
    return new Date(this.end.getTime() - 1);
  }
}

/** What the journal has recorded for an account in a period. All amounts are in minor units. */
export interface Statement {
  readonly accountId: string;
  /** As the account is called now: the journal has no names. */
  readonly accountName: string;
  readonly currency: string;
  readonly period: Period;
  readonly openingBalance: number;
  readonly closingBalance: number;
  readonly totalIn: number;
  readonly totalOut: number;
  readonly entryCount: number;
  /** The entries of the account's own leg, oldest first, in batches. */
  readonly entries: AsyncIterable<readonly DescribedEntry[]>;
}

/** A day in UTC, such as `2026-10-31`. */
export const toDay = (time: Date): string => time.toISOString().slice(0, 10);
