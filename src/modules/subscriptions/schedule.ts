import { DAY_MS } from '../../kernel/clock';

export const intervals = ['day', 'week', 'month', 'year'] as const;
export type Interval = (typeof intervals)[number];

/**
 * Returns when period `n` begins; period 0 begins at `anchor`. Every period is counted from the anchor and not from the
 * period before: what began on the 31st returns to the 31st after a shorter month, and what began on 29 February to
 * that day in the next leap year. Days are UTC days, at the anchor's time of day.
 */
export function startOfPeriod(anchor: Date, interval: Interval, n: number): Date {
  switch (interval) {
    case 'day':
      return new Date(anchor.getTime() + n * DAY_MS);
    case 'week':
      return new Date(anchor.getTime() + n * 7 * DAY_MS);
    case 'month':
      return monthsAfter(anchor, n);
    case 'year':
      return monthsAfter(anchor, 12 * n);
  }
}

/** Returns the same day that many months later, or the last day of a shorter month. */
function monthsAfter(anchor: Date, months: number): Date {
  const start = new Date(anchor);
  start.setUTCDate(1);
  start.setUTCMonth(start.getUTCMonth() + months);
  start.setUTCDate(Math.min(anchor.getUTCDate(), lastDayOfMonth(start)));
  return start;
}

function lastDayOfMonth(day: Date): number {
  return new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1, 0)).getUTCDate();
}
