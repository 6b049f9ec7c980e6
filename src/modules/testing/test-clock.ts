import { Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, SystemClock } from '../../kernel/clock';
import { DomainError } from '../../kernel/domain-error';
import { intervals, startOfPeriod } from '../subscriptions';

const PERIOD = /^(\d{1,6}) (second|minute|hour|day|week|month|year)s?$/;

const MILLISECONDS = { second: SECOND_MS, minute: MINUTE_MS, hour: HOUR_MS } as const;

/** Timestamps have years of four digits, and an expiry may be a year ahead. */
const LATEST = new Date('9000-01-01T00:00:00Z');

/** The system clock, shifted by a test. */
export class TestClock extends Clock {
  private readonly system = new SystemClock();
  private shiftMs = 0;

  now(): Date {
    return new Date(this.system.now().getTime() + this.shiftMs);
  }

  /** Moves time forward; negative numbers move it back. */
  move({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.shiftMs += days * DAY_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
  }

  /**
   * Returns the time after a step.
   * @param step a time, or for example `90 seconds`, `2 days` or `1 month`; months and years are those of the calendar in UTC
   * @throws DomainError `invalid_request` for any other text, and for a time in the past or beyond the year 9000
   */
  timeAfter(step: string | Date): Date {
    const now = this.now();
    const time = typeof step === 'string' ? after(now, step) : step;
    if (time < now) {
      throw new DomainError('invalid_request', `Time cannot go back: it is ${now.toISOString()}. Reset it.`);
    }
    if (!(time < LATEST)) throw new DomainError('invalid_request', 'Time cannot go beyond the year 9000.');
    return time;
  }

  /** Moves time forward to `time`. Does nothing if it has passed. */
  moveTo(time: Date): void {
    this.shiftMs += Math.max(0, time.getTime() - this.now().getTime());
  }

  /** Goes back to the time of the system. */
  reset(): void {
    this.shiftMs = 0;
  }
}

function after(now: Date, period: string): Date {
  const [, count, unit] = PERIOD.exec(period) ?? [];
  if (unit === undefined) {
    throw new DomainError(
      'invalid_request',
      `"${period}" is no period. Use for example "90 seconds" or "1 month".`,
    );
  }
  const interval = intervals.find((known) => known === unit);
  if (interval !== undefined) return startOfPeriod(now, interval, Number(count));
  return new Date(now.getTime() + Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS]);
}
