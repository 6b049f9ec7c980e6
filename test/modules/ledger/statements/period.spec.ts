import { Period, toDay } from '../../../../src/modules/ledger/statements/statement';

describe('A period', () => {
  it.each([
    ['2026', '2026-01-01', '2027-01-01'],
    ['2026-10', '2026-10-01', '2026-11-01'],
    ['2026-12', '2026-12-01', '2027-01-01'],
    ['2024-02', '2024-02-01', '2024-03-01'],
    ['2024-02-29', '2024-02-29', '2024-03-01'],
    ['2026-12-31', '2026-12-31', '2027-01-01'],
  ])('%s lasts from %s until before %s', (name, start, end) => {
    const period = Period.parse(name)!;
    expect(period.start).toEqual(new Date(`${start}T00:00:00.000Z`));
    expect(period.end).toEqual(new Date(`${end}T00:00:00.000Z`));
    expect(period.last.getTime()).toBe(period.end.getTime() - 1);
    expect(toDay(period.start)).toBe(start);
  });

  it.each([
    '',
    '26',
    '2026-',
    '2026-13',
    '2026-00',
    '2026-1',
    '2023-02-29',
    '2026-10-31T00:00:00Z',
    '2026-10 ',
    '+2026',
  ])('is not named by %j', (name) => {
    expect(Period.parse(name)).toBeNull();
  });
});
