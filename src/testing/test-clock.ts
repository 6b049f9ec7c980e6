import { Clock, SystemClock } from '../kernel/clock';

/** The system clock, shifted by a test. */
export class TestClock extends Clock {
  private readonly system = new SystemClock();
  private shiftMs = 0;

  now(): Date {
    return new Date(this.system.now().getTime() + this.shiftMs);
  }

  /** Moves time forward; negative numbers move it back. */
  move({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.shiftMs += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000;
  }
}
