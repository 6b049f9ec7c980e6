import { DAY_MS, SECOND_MS } from '../../../../src/kernel/clock';
import {
  MAX_ATTEMPTS,
  nextAttemptAt,
  pausedUntil,
} from '../../../../src/modules/events/webhooks/delivery-pace';

const now = new Date('2026-01-31T09:30:00Z');
const since = (time: Date | null): number => time!.getTime() - now.getTime();

describe('The attempts of a delivery', () => {
  it.each([0, 0.5, 0.999])('are ten within three days and a half, with a jitter of %d', (random) => {
    expect(MAX_ATTEMPTS).toBe(10);
    const delays = Array.from({ length: 9 }, (_, index) =>
      since(nextAttemptAt(index + 1, now, () => random)),
    );
    expect(delays).toEqual(delays.toSorted((one, other) => one - other));
    const total = delays.reduce((sum, delay) => sum + delay, 0);
    expect(total).toBeGreaterThan(3 * DAY_MS);
    expect(total).toBeLessThan(3.5 * DAY_MS);
    expect(nextAttemptAt(10, now, () => random)).toBeNull();
  });
});

describe('The pause of a failing endpoint', () => {
  it('doubles with each failure, up to an hour', () => {
    const pauses = [1, 2, 3, 10, 11, 1_000].map((failures) => since(pausedUntil(failures, now, () => 0)));
    expect(pauses).toEqual([5, 10, 20, 2_560, 3_600, 3_600].map((seconds) => seconds * SECOND_MS));
  });

  it('differs between endpoints', () => {
    expect(since(pausedUntil(1, now, () => 0.999))).toBeGreaterThan(since(pausedUntil(1, now, () => 0)));
  });
});

describe('The delay of an attempt', () => {
  it.each([
    [1, 5],
    [2, 5 * 60],
    [3, 30 * 60],
    [4, 2 * 3600],
    [9, 24 * 3600],
  ])('after %d failures is %d seconds, and at most a tenth more', (attempts, seconds) => {
    expect(since(nextAttemptAt(attempts, now, () => 0))).toBe(seconds * SECOND_MS);
    expect(since(nextAttemptAt(attempts, now, () => 1))).toBe((seconds / 10) * 11 * SECOND_MS);
  });
});
