import { Clock, DAY_MS, MINUTE_MS, SECOND_MS, SystemClock } from '../kernel/clock';
import { intervals, startOfPeriod } from '../modules/subscriptions';

const PERIOD = /^(\d{1,6}) (second|minute|hour|day|week|month|year)s?$/;

const MILLISECONDS = { second: SECOND_MS, minute: MINUTE_MS, hour: 60 * MINUTE_MS } as const;

/** The system clock, shifted by a test. */
export class TestClock extends Clock {
  private readonly system = new SystemClock();
  private shiftMs = 0;

  /** @param processDue does what becomes due when time advances */
  constructor(private readonly processDue: () => Promise<void>) {
    super();
  }

  now(): Date {
    return new Date(this.system.now().getTime() + this.shiftMs);
  }

  /** Moves time forward and processes nothing; negative numbers move it back. */
  move({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.shiftMs += days * DAY_MS + minutes * MINUTE_MS + seconds * SECOND_MS;
  }

  /**
   * Moves time forward, and then settles, expires and bills what is due.
   * @param period for example `90 seconds`, `2 days` or `1 month`; months and years are those of the calendar in UTC
   * @returns the time that it is then
   * @throws Error for any other text
   */
  async advance(period: string): Promise<Date> {
    const now = this.now();
    this.shiftMs += after(now, period).getTime() - now.getTime();
    await this.processDue();
    return this.now();
  }

  /** Goes back to the time of the system. */
  reset(): void {
    this.shiftMs = 0;
  }
}

function after(now: Date, period: string): Date {
  const [, count, unit] = PERIOD.exec(period) ?? [];
  if (unit === undefined)
    throw new Error(`"${period}" is no period. Use for example "90 seconds" or "1 month".`);
  const interval = intervals.find((known) => known === unit);
  if (interval !== undefined) return startOfPeriod(now, interval, Number(count));
  return new Date(now.getTime() + Number(count) * MILLISECONDS[unit as keyof typeof MILLISECONDS]);
}
