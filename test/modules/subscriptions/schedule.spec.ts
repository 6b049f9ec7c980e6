import fc from 'fast-check';
import { Interval, intervals, startOfPeriod } from '../../../src/modules/subscriptions/subscription';
import { rounds, SEED } from '../../support/rounds';

const DAY_MS = 86_400_000;
const TIME = 'T23:59:59.999Z';
const day = (text: string): Date => new Date(`${text}${TIME}`);

/** The days on which the periods begin; the first is the anchor. */
function daysFrom(anchor: string, interval: Interval, count: number): string[] {
  return Array.from({ length: count }, (_, n) => {
    const start = startOfPeriod(day(anchor), interval, n).toISOString();
    expect(start.slice(10)).toBe(TIME);
    return start.slice(0, 10);
  });
}

describe('The start of a period', () => {
  it.each<[Interval, string, string[]]>([
    ['day', '2026-02-27', ['2026-02-27', '2026-02-28', '2026-03-01']],
    ['day', '2028-02-28', ['2028-02-28', '2028-02-29', '2028-03-01']],
    ['day', '2026-12-31', ['2026-12-31', '2027-01-01']],
    ['week', '2026-12-22', ['2026-12-22', '2026-12-29', '2027-01-05']],
    ['week', '2028-02-22', ['2028-02-22', '2028-02-29', '2028-03-07']],
    ['month', '2026-01-15', ['2026-01-15', '2026-02-15', '2026-03-15']],
    [
      'month',
      '2026-01-31',
      ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30', '2026-05-31', '2026-06-30', '2026-07-31'],
    ],
    ['month', '2026-08-31', ['2026-08-31', '2026-09-30', '2026-10-31', '2026-11-30', '2026-12-31']],
    ['month', '2027-12-31', ['2027-12-31', '2028-01-31', '2028-02-29', '2028-03-31']],
    ['month', '2027-12-30', ['2027-12-30', '2028-01-30', '2028-02-29', '2028-03-30']],
    ['month', '2026-12-29', ['2026-12-29', '2027-01-29', '2027-02-28', '2027-03-29']],
    ['year', '2026-06-30', ['2026-06-30', '2027-06-30', '2028-06-30']],
    ['year', '2028-02-29', ['2028-02-29', '2029-02-28', '2030-02-28', '2031-02-28', '2032-02-29']],
    ['year', '2096-02-29', ['2096-02-29', '2097-02-28', '2098-02-28', '2099-02-28', '2100-02-28']],
  ])('is correct for each %s from %s', (interval, anchor, days) => {
    expect(daysFrom(anchor, interval, days.length)).toEqual(days);
  });

  it('is 29 February again after a century year without it', () => {
    const starts = daysFrom('2096-02-29', 'year', 9);
    expect([starts[4], starts[8]]).toEqual(['2100-02-28', '2104-02-29']);
  });

  const anchors = fc
    .integer({ min: Date.UTC(2000, 0, 1), max: Date.UTC(2099, 11, 31) })
    .map((ms) => new Date(ms));
  const counts = fc.integer({ min: 0, max: 2000 });
  const options = { seed: SEED, numRuns: rounds(2000) };

  it(`is the anchor for the first period, and increases at the same time of day (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anchors, fc.constantFrom(...intervals), counts, (anchor, interval, n) => {
        expect(startOfPeriod(anchor, interval, 0)).toEqual(anchor);
        const start = startOfPeriod(anchor, interval, n);
        expect(startOfPeriod(anchor, interval, n + 1) > start).toBe(true);
        expect(start.getTime() % DAY_MS).toBe(anchor.getTime() % DAY_MS);
      }),
      options,
    );
  });

  it(`is the anchor's day of the month, or the last day of a shorter month (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anchors, fc.constantFrom('month', 'year'), counts, (anchor, interval, n) => {
        const start = startOfPeriod(anchor, interval, n);
        const [year, month, date] = civil(anchor);
        const months = month + (interval === 'year' ? 12 * n : n);
        const expected = [year + Math.floor(months / 12), months % 12] as const;
        expect(civil(start)).toEqual([...expected, Math.min(date, daysIn(...expected))]);
      }),
      options,
    );
  });

  it(`is a whole number of days after the anchor (seed ${SEED})`, () => {
    fc.assert(
      fc.property(anchors, counts, (anchor, n) => {
        const days = (interval: Interval): number =>
          (startOfPeriod(anchor, interval, n).getTime() - anchor.getTime()) / DAY_MS;
        expect([days('day'), days('week')]).toEqual([n, 7 * n]);
      }),
      options,
    );
  });
});

/** Year, month (from 0) and day of the UTC date. */
function civil(date: Date): [number, number, number] {
  const [year, month, dayOfMonth] = date.toISOString().slice(0, 10).split('-').map(Number);
  return [year!, month! - 1, dayOfMonth!];
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]!;
}
