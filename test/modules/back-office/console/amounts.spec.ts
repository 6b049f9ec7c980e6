import { parseAmount, parseDecimal, typedAmount } from '../../../../console/src/i18n/amounts';

describe('Amounts typed into the console', () => {
  it.each([
    ['en', '1,500', 'EUR', 150_000],
    ['en', '1,234,567.89', 'EUR', 123_456_789],
    ['en', '1500.5', 'EUR', 150_050],
    ['en', '1,500', 'JPY', 1_500],
    ['en', '1.500', 'KWD', 1_500],
    ['en', '1,500.000', 'KWD', 1_500_000],
    ['de', '1.500', 'EUR', 150_000],
    ['de', '12,00', 'GBP', 1_200],
    ['de', '1,500', 'KWD', 1_500],
    ['de-CH', '1’500.50', 'EUR', 150_050],
    ['fr', '1\u202f234,50', 'EUR', 123_450],
    ['es-MX', '1,500.25', 'EUR', 150_025],
    ['pt', ' 7 ', 'EUR', 700],
  ])('are read by the separators of the language: %s %s %s', (locale, text, currency, minorUnits) => {
    expect(parseAmount(text, currency, locale)).toBe(minorUnits);
  });

  it.each([
    ['en', '2,50', 250],
    ['de', '12.5', 1_250],
  ])(
    'are read with the separator of another language where it has one meaning: %s %s',
    (locale, text, sum) => {
      expect(parseAmount(text, 'EUR', locale)).toBe(sum);
    },
  );

  it.each([
    ['en', '1,500'],
    ['de', '1.500'],
  ])('are refused where they may be two numbers: %s %s with three decimals', (locale, text) => {
    expect(parseAmount(text, 'KWD', locale)).toBeNull();
  });

  it.each([
    ['en', ''],
    ['en', '-5'],
    ['en', '1.005'],
    ['de', '1,005'],
    ['en', '1.500,00'],
    ['de', '1,500.00'],
    ['en', '15,00,000'],
    ['en', '1,500 000'],
    ['en', '1500,000.00'],
    ['en', '5 €'],
    ['en', '99999999999999999'],
  ])('are refused when they are no amount: %s "%s"', (locale, text) => {
    expect(parseAmount(text, 'EUR', locale)).toBeNull();
  });

  it('never differ between languages that both read them', () => {
    for (const text of ['1.500', '1,500', '12.50', '12,50', '1 500', '1.5', '1,5', '1,500.5', '1.234.567']) {
      for (const digits of [0, 2, 3]) {
        const read = ['en', 'de', 'fr', 'es-MX', 'pt'].map((locale) => parseDecimal(text, digits, locale));
        expect([text, digits, new Set(read.filter((sum) => sum !== null)).size]).not.toEqual([
          text,
          digits,
          2,
        ]);
      }
    }
  });

  it.each([
    ['en', 'GBP', '12.00'],
    ['de', 'GBP', '12,00'],
    ['pt', 'JPY', '1200'],
    ['de', 'KWD', '1,200'],
    ['en', 'KWD', '1.200'],
  ])('are read as they are prefilled: %s %s %s', (locale, currency, text) => {
    expect(typedAmount(1_200, currency, locale)).toBe(text);
    expect(parseAmount(text, currency, locale)).toBe(1_200);
  });
});
