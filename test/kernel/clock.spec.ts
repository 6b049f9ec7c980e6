import fc from 'fast-check';
import {
  DAY_MS,
  MINUTE_MS,
  parseTimestamp,
  SECOND_MS,
  SystemClock,
  timeOfChange,
} from '../../src/kernel/clock';
import { SEED } from '../support/rounds';

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
      { seed: SEED },
    );
  });
});

describe('SystemClock', () => {
  it('returns the system time', () => {
    const before = Date.now();
    expect(new SystemClock().now().getTime()).toBeGreaterThanOrEqual(before);
  });
});

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-22T10:00:22.3209Z', '2026-11-22T10:00:22.320Z', '2026-11-22T10:00:22.321Z'],
    ['2026-11-22T10:00:22.320001+00:00', '2026-11-22T10:00:22.320Z', '2026-11-22T10:00:22.321Z'],
    ['2026-12-31T23:59:59,999999999Z', '2026-12-31T23:59:59.999Z', '2027-01-01T00:00:00.000Z'],
    ['1969-12-31T23:59:59.9999Z', '1969-12-31T23:59:59.999Z', '1970-01-01T00:00:00.000Z'],
  ])('rounds %s as told', (text, down, up) => {
    expect(parseTimestamp(text)).toEqual(new Date(down));
    expect(parseTimestamp(text, 'up')).toEqual(new Date(up));
  });

  it.each(['2026-11-22T10:00Z', '2026-11-22T10:00:22.3Z', '2026-11-22T10:00:22.320000000Z'])(
    'rounds nothing of %s',
    (text) => {
      expect(parseTimestamp(text, 'up')).toEqual(parseTimestamp(text));
    },
  );
});

describe('parseTimestamp', () => {
  it.each([
    ['2026-11-22T10:00:00Z', '2026-11-22T10:00:00.000Z'],
    ['2026-11-22T10:00:00,5Z', '2026-11-22T10:00:00.500Z'],
    ['2026-11-22T10:00:00+02:00', '2026-11-22T08:00:00.000Z'],
    ['2026-11-22T10:00:00-0230', '2026-11-22T12:30:00.000Z'],
    ['0026-11-22T10:00:00,123456+0230', '0026-11-22T07:30:00.123Z'],
    ['2024-02-29T00:00Z', '2024-02-29T00:00:00.000Z'],
  ])('reads %s', (text, time) => expect(parseTimestamp(text)).toEqual(new Date(time)));

  it.each([
    '',
    'today',
    '2026-11-22',
    '2026-11-22T10:00:00',
    ' 2026-11-22T10:00:00Z',
    '2026-11-22T10:00:00Z ',
    '2026-02-30T10:00:00Z',
    '2026-13-01T10:00:00Z',
    '2026-11-22T24:01:00Z',
    '2026-11-22T10:60:00Z',
    '2026-11-22T10:00:00+25:00',
    1_795_000_000_000,
    ['2026-11-22T10:00:00.000Z'],
    new Date(0),
    null,
    undefined,
  ])('does not read %j', (value) => expect(parseTimestamp(value)).toBeNull());
});

describe('Durations', () => {
  it('are in milliseconds', () => {
    expect([SECOND_MS, MINUTE_MS, DAY_MS]).toEqual([1000, 60_000, 86_400_000]);
  });
});
