/**
 * How many digits the minor unit of a currency takes, by ISO 4217, where they are not two. Intl knows what cash is
 * paid in instead: it would show forints and Iraqi dinars without their minor units, a hundred or thousand times too much.
 */
const DIGITS: Readonly<Record<string, number>> = {
  ...digits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digits(0, 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'), // no minor unit at all
  ...digits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digits(4, 'CLF UYW'),
};

function digits(count: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, count]));
}

/** An amount of minor units with its decimal point, exactly: `12.50`. */
export function decimalAmount(minorUnits: number, currency: string): `${number}` {
  const count = DIGITS[currency] ?? 2;
  const text = String(minorUnits).padStart(count + 1, '0');
  const whole = text.slice(0, text.length - count);
  return (count === 0 ? whole : `${whole}.${text.slice(-count)}`) as `${number}`;
}

/** An amount of minor units as people of that language write it: `12,50 €`. */
export function formatAmount(minorUnits: number, currency: string, language: string): string {
  const count = DIGITS[currency] ?? 2;
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: count,
    maximumFractionDigits: count,
  }).format(decimalAmount(minorUnits, currency)); // a text: a number of that many digits would round
}
