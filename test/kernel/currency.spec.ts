import { minorUnitDigits } from '../../src/kernel/money';

describe('minorUnitDigits', () => {
  it.each([
    ['USD', 2],
    ['EUR', 2],
    ['HUF', 2],
    ['JPY', 0],
    ['KRW', 0],
    ['XAU', 0],
    ['KWD', 3],
    ['IQD', 3],
    ['CLF', 4],
  ])('%s has %i', (currency, digits) => {
    expect(minorUnitDigits(currency)).toBe(digits);
  });
});
