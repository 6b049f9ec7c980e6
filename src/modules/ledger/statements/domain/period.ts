import { parseTimestamp } from '../../../../kernel/clock';

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
