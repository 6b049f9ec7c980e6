import { Clock } from '../../src/kernel/clock';

/** A clock that the test moves. It runs with the wall otherwise, so that what follows is later. */
export class TestClock extends Clock {
  private shiftMs = 0;

  now(): Date {
    return new Date(Date.now() + this.shiftMs);
  }

  /** Moves time on, or back with a negative number. */
  move({ days = 0, minutes = 0, seconds = 0 }: { days?: number; minutes?: number; seconds?: number }): void {
    this.shiftMs += ((days * 24 * 60 + minutes) * 60 + seconds) * 1000;
  }
}
