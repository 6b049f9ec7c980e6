import { decimalAmount, formatAmount, formatDateTime } from '../../../src/platform/i18n/formats';

/** Intl separates numbers and units with spaces of several widths. */
const withPlainSpaces = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('Formatted amounts', () => {
  it.each([
    [1250, 'USD', 'en', '$12.50'],
    [1250, 'EUR', 'de', '12,50 €'],
    [124950, 'EUR', 'fr', '1 249,50 €'],
    [1250, 'EUR', 'es', '12,50 €'],
    [1250, 'BRL', 'pt', 'R$ 12,50'],
    [1250, 'JPY', 'en', '¥1,250'],
    [1250, 'KWD', 'en', 'KWD 1.250'],
    [1250, 'CLF', 'en', 'CLF 0.1250'],
    [5, 'USD', 'en', '$0.05'],
    [5, 'KWD', 'en', 'KWD 0.005'],
  ])('formats %d minor units of %s in %s as %s', (amount, currency, language, shown) => {
    expect(withPlainSpaces(formatAmount(amount, currency, language))).toBe(shown);
  });

  it.each([
    ['HUF', '12.50'],
    ['IQD', '1.250'],
    ['COP', '12.50'],
    ['IDR', '12.50'],
    ['ISK', '1250'],
    ['XAF', '1250'],
  ])('uses the minor unit digits of ISO 4217, not of cash: 1250 %s is %s', (currency, decimal) => {
    expect(decimalAmount(1250, currency)).toBe(decimal);
    expect(formatAmount(1250, currency, 'en')).toContain(decimal.replace('1250', '1,250'));
  });

  it.each([
    [-5, 'EUR', '-0.05'],
    [-1250, 'EUR', '-12.50'],
    [-5, 'JPY', '-5'],
    [-9_007_199_254_740_991, 'EUR', '-90071992547409.91'],
  ] as const)('keeps the sign: %d minor units of %s are %s', (minorUnits, currency, decimal) => {
    expect(decimalAmount(minorUnits, currency)).toBe(decimal);
  });

  it('is exact up to the largest amount', () => {
    expect(decimalAmount(9_007_199_254_740_991, 'EUR')).toBe('90071992547409.91');
    expect(formatAmount(9_007_199_254_740_991, 'USD', 'en')).toBe('$90,071,992,547,409.91');
    expect(formatAmount(9_007_199_254_740_991, 'KWD', 'en')).toMatch(/9,007,199,254,740\.991$/);
  });
});

describe('Dates', () => {
  it('uses the time zone and names it', () => {
    const at = new Date('2026-12-31T23:30:00.000Z');
    expect(withPlainSpaces(formatDateTime(at, 'de', 'Europe/Berlin'))).toBe('1. Jan. 2027, 00:30 MEZ');
    expect(withPlainSpaces(formatDateTime(at, 'en', 'America/New_York'))).toBe('Dec 31, 2026, 6:30 PM EST');
  });
});
