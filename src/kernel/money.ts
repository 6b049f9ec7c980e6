import { DomainError } from './domain-error';

/** The largest amount and the largest balance, in minor units: the largest integer that JSON clients read exactly. */
export const MAX_MINOR_UNITS = Number.MAX_SAFE_INTEGER;

/** Whether `value` is a valid amount: an integer number of minor units from 1 to 2^53 - 1. */
export function isAmount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 1;
}

/**
 * Adds two non-negative numbers of minor units.
 * @param what the subject of the error message, e.g. "The balance"
 * @throws DomainError `invalid_request` when the sum exceeds the largest balance
 */
export function addMinorUnits(a: number, b: number, what: string): number {
  // Compares by difference, because a sum beyond the safe range would already be rounded.
  if (b > MAX_MINOR_UNITS - a) {
    throw new DomainError('invalid_request', `${what} would exceed ${MAX_MINOR_UNITS} minor units.`);
  }
  return a + b;
}

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
