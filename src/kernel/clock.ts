/** The one source of time. Injected, so that tests move it instead of sleeping. */
export abstract class Clock {
  /** The present moment, to the millisecond. */
  abstract now(): Date;
}

export class SystemClock extends Clock {
  now(): Date {
    return new Date();
  }
}

/**
 * The time stamp of a change that follows `previous`.
 * A clock may step back or stand still between two changes; `updated_at` must do neither.
 */
export function timeOfChange(previous: Date, now: Date): Date {
  return now > previous ? now : new Date(previous.getTime() + 1);
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const DAY_MS = 24 * 60 * MINUTE_MS;
