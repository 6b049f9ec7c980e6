import fc from 'fast-check';
import { DAY_MS, MINUTE_MS, SECOND_MS, SystemClock, timeOfChange } from '../../src/kernel/clock';

describe('timeOfChange', () => {
  it('returns now when it is later than the previous change', () => {
    expect(timeOfChange(new Date(1000), new Date(2000))).toEqual(new Date(2000));
  });

  it.each([
    ['has not advanced', 1000],
    ['has stepped back', 400],
  ])('returns the next millisecond when the clock %s', (_, now) => {
    expect(timeOfChange(new Date(1000), new Date(now))).toEqual(new Date(1001));
  });

  it('increases for any sequence of clock readings', () => {
    const moment = fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true });
    fc.assert(
      fc.property(moment, fc.array(moment), (first, readings) => {
        let previous = first;
        for (const now of readings) {
          const next = timeOfChange(previous, now);
          expect(next.getTime()).toBeGreaterThan(previous.getTime());
          expect(next.getTime()).toBeGreaterThanOrEqual(now.getTime());
          previous = next;
        }
      }),
    );
  });
});

describe('SystemClock', () => {
  it('returns the system time', () => {
    const before = Date.now();
    expect(new SystemClock().now().getTime()).toBeGreaterThanOrEqual(before);
  });
});

describe('Durations', () => {
  it('are in milliseconds', () => {
    expect([SECOND_MS, MINUTE_MS, DAY_MS]).toEqual([1000, 60_000, 86_400_000]);
  });
});
