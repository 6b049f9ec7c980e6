/** The only source of time. It is injected, so that tests set the time instead of sleeping. */
export abstract class Clock {
  /** The current time, with millisecond precision. */
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/**
 * Returns the timestamp of a change: `now`, or one millisecond after `previous` when the clock has not advanced.
 * `updated_at` therefore increases with every change, even when the system clock steps back.
 */
export function timeOfChange(previous: Date, now: Date): Date {
  return now > previous ? now : new Date(previous.getTime() + 1);
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}([.,]\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})$/;

/** Matches digits below a millisecond, unless they are all zero. */
const BELOW_MILLISECOND = /[.,]\d{3}0*[1-9]/;

/**
 * Parses an ISO 8601 date and time with a time zone, to the millisecond.
 * @param rounding what digits below a millisecond do. The beginning of a range is rounded up: the millisecond that the
 * digits are part of begins before it
 * @returns null for any other value
 */
export function parseTimestamp(value: unknown, rounding: 'down' | 'up' = 'down'): Date | null {
  if (typeof value !== 'string' || !TIMESTAMP.test(value) || !isCalendarDay(value.slice(0, 10))) return null;
  // ISO 8601 allows a decimal comma; Date does not.
  const date = new Date(value.replace(',', '.'));
  if (Number.isNaN(date.getTime())) return null;
  return rounding === 'up' && BELOW_MILLISECOND.test(value) ? new Date(date.getTime() + 1) : date;
}

/** Date accepts 30 February and reads it as 2 March. */
function isCalendarDay(day: string): boolean {
  const date = new Date(day);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}
