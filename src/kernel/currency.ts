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

export function minorUnitDigits(currency: string): number {
  return DIGITS[currency] ?? 2;
}
