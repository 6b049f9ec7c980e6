/**
 * The number of decimal digits of each currency's minor unit (ISO 4217), for currencies that do not have two.
 *
 * `Intl` is not a substitute: its digits follow cash usage. It gives forints and Iraqi dinars no decimals, so their
 * amounts would be displayed 100 or 1,000 times too large.
 */
const DIGITS: Readonly<Record<string, number>> = {
  ...digits(0, 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF'),
  ...digits(0, 'XAG XAU XBA XBB XBC XBD XDR XPD XPT XSU XTS XUA XXX'), // precious metals and units of account: no minor unit
  ...digits(3, 'BHD IQD JOD KWD LYD OMR TND'),
  ...digits(4, 'CLF UYW'),
};

function digits(count: number, codes: string): Record<string, number> {
  return Object.fromEntries(codes.split(' ').map((code) => [code, count]));
}

/** The number of decimal digits of the currency's minor unit: 2 for USD, 0 for JPY. */
export function minorUnitDigits(currency: string): number {
  return DIGITS[currency] ?? 2;
}
