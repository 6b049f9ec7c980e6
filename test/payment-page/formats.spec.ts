import {
  fill,
  Language,
  languageFor,
  messages,
  pieces,
} from '../../src/modules/payment-requests/page/languages';
import {
  epcPayload,
  groupIban,
  transferReference,
} from '../../src/modules/payment-requests/page/bank-transfer';
import { decimalAmount, formatAmount } from '../../src/modules/payment-requests/page/money';
import { formatMoment } from '../../src/modules/payment-requests/page/payment-page';

/** Intl parts numbers and signs by spaces of several widths. */
const plain = (text: string): string => text.replace(/[\u00a0\u202f]/g, ' ');

describe('An amount', () => {
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
  ])('of %d minor units of %s is in %s: %s', (amount, currency, language, shown) => {
    expect(plain(formatAmount(amount, currency, language))).toBe(shown);
  });

  it.each([
    ['HUF', '12.50'],
    ['IQD', '1.250'],
    ['COP', '12.50'],
    ['IDR', '12.50'],
    ['ISK', '1250'],
    ['XAF', '1250'],
  ])('of 1250 %s has the digits of ISO 4217, not those of cash: %s', (currency, decimal) => {
    expect(decimalAmount(1250, currency)).toBe(decimal);
    expect(formatAmount(1250, currency, 'en')).toContain(decimal.replace('1250', '1,250'));
  });

  it('is exact up to the largest', () => {
    expect(decimalAmount(9_007_199_254_740_991, 'EUR')).toBe('90071992547409.91');
    expect(formatAmount(9_007_199_254_740_991, 'USD', 'en')).toBe('$90,071,992,547,409.91');
    expect(formatAmount(9_007_199_254_740_991, 'KWD', 'en')).toMatch(/9,007,199,254,740\.991$/);
  });
});

describe('The language', () => {
  it.each([
    ['de', 'de'],
    ['de-AT,de;q=0.9,en;q=0.8', 'de'],
    ['ja,fr;q=0.5,en;q=0.4', 'fr'],
    ['pt-BR', 'pt'],
    ['ES-mx', 'es'],
    ['en;q=0.1,es;q=0.2', 'es'],
    ['en;q=0,de', 'de'],
  ])('for Accept-Language %s is %s', (header, language) => expect(languageFor(header, 'en')).toBe(language));

  it.each([
    [undefined, 'fr', 'fr'],
    ['*', 'pt-BR', 'pt'],
    ['ja', 'de-CH', 'de'],
    ['', 'es', 'es'],
    ['ja', 'ja', 'en'],
    [undefined, null, 'en'],
    ['nonsense;;;q=x,,', 'de', 'de'],
  ])("for Accept-Language %s is the payee's %s: %s", (header, preset, language) =>
    expect(languageFor(header, preset)).toBe(language),
  );
});

describe('Messages', () => {
  const places = (text: string): string[] => (text.match(/\{\w+\}/g) ?? []).toSorted();
  const texts = (value: unknown, path = ''): [string, string][] =>
    typeof value === 'string'
      ? [[path, value]]
      : Object.entries(value as object).flatMap(([key, member]) => texts(member, `${path}.${key}`));
  const english = texts(messages.en);

  it.each(Object.keys(messages) as Language[])(
    'of %s are all there, with the same places to fill',
    (language) => {
      const own = texts(messages[language]);
      expect(own.map(([path]) => path)).toEqual(english.map(([path]) => path));
      expect(own.map(([, text]) => places(text))).toEqual(english.map(([, text]) => places(text)));
      expect(own.filter(([, text]) => text.trim() === '')).toEqual([]);
    },
  );

  it('are filled without reading what fills them', () => {
    expect(fill('{a} and {b}', { a: '{b}', b: '$&' })).toBe('{b} and $&');
    expect(pieces('To {a}!', { a: 'x' })).toEqual([
      { place: null, text: 'To ' },
      { place: 'a', text: 'x' },
      { place: null, text: '!' },
    ]);
  });
});

describe('A moment', () => {
  it("is told on the clocks of the account's timezone", () => {
    const at = new Date('2026-12-31T23:30:00.000Z');
    expect(plain(formatMoment(at, 'de', 'Europe/Berlin'))).toBe('1. Jan. 2027, 00:30 MEZ');
    expect(plain(formatMoment(at, 'en', 'America/New_York'))).toBe('Dec 31, 2026, 6:30 PM EST');
  });
});

describe('A bank transfer', () => {
  const bank = { payee: 'Red Cross of Belgium', iban: 'BE72000000001616', bic: null };

  it('is the eleven lines of EPC069-12', () => {
    expect(epcPayload(bank, 100, 'ABCDE-12345')).toBe(
      'BCD\n002\n1\nSCT\n\nRed Cross of Belgium\nBE72000000001616\nEUR1.00\n\n\nABCDE-12345',
    );
    expect(
      epcPayload({ ...bank, bic: 'BPOTBEB1' }, 5, 'R')!
        .split('\n')
        .slice(4, 8),
    ).toEqual(['BPOTBEB1', 'Red Cross of Belgium', 'BE72000000001616', 'EUR0.05']);
  });

  it('keeps a name in its line and its length', () => {
    const lines = epcPayload({ ...bank, payee: `A\nEUR0.01\r\n${'é'.repeat(100)}` }, 100, 'R')!.split('\n');
    expect(lines).toHaveLength(11);
    expect([...lines[5]!]).toHaveLength(70);
    expect(lines[7]).toBe('EUR1.00');
  });

  it('has a code up to the largest amount that the scheme knows', () => {
    expect(epcPayload(bank, 99_999_999_999, 'R')).toContain('EUR999999999.99');
    expect(epcPayload(bank, 100_000_000_000, 'R')).toBeNull();
  });

  it("has a short reference, the end of the request's id", () => {
    expect(transferReference('pay_01k9x8v2t4e6rb3m5n7p9q1s0w')).toBe('5N7P9-Q1S0W');
    expect(groupIban('DE71110220330123456789')).toBe('DE71 1102 2033 0123 4567 89');
  });
});
