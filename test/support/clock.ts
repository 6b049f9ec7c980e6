import { Clock } from '../../src/kernel/clock';

/** A clock that tests can move. Otherwise it advances with the system clock. */
export class TestClock extends Clock {
  private shiftMs = 0;

  now(): Date {
    return new Date(Date.now() + this.shiftMs);
  }

  /** Moves the clock forward, or back by a negative duration. */
  move({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.shiftMs += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000;
  }
}
