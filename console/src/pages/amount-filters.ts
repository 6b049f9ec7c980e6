import { parseDecimal } from '../i18n/amounts';
import { format } from '../i18n/i18n';
import { type Messages } from '../i18n/messages/en';
import { type Filter } from '../ui/filters';

/** The filters by amount. The address has decimal numbers, as they were typed. */
export const amountNames = ['amount_min', 'amount_max', 'decimals'] as const;

export interface AmountFilter {
  readonly amount_min?: string;
  readonly amount_max?: string;
  /** How many digits of the amounts stand after the decimal point, as in their currency; 2 by default. */
  readonly decimals?: string;
}

const DECIMALS = { '': '2 (EUR, USD)', '0': '0 (JPY, KRW)', '3': '3 (KWD, TND)' };

/** The fields of the filters. They say what an amount looks like beside what is none. */
export function amountFilters({ list }: Messages, filter: AmountFilter, locale: string): Filter[] {
  const digits = digitsOf(filter);
  const written = new Intl.NumberFormat(locale, { minimumFractionDigits: digits });
  const example = written.format(1_250 / 10 ** digits);
  const problemOf = (text: string | undefined): string | undefined =>
    text === undefined || parseBound(text, digits, locale) !== null
      ? undefined
      : format(list.noAmount, { example });
  return [
    { name: 'amount_min', label: list.amountFrom, type: 'amount', problem: problemOf(filter.amount_min) },
    { name: 'amount_max', label: list.amountTo, type: 'amount', problem: problemOf(filter.amount_max) },
    { name: 'decimals', label: list.decimals, options: DECIMALS },
  ];
}

/**
 * The filters of the API: minor units. What is no amount is left out: its field says so, and the other filters hold.
 * @param locale in whose language the amounts were typed
 */
export function inMinorUnits<T extends AmountFilter>(filter: T, locale: string) {
  const { decimals: _, amount_min = '', amount_max = '', ...others } = filter;
  const digits = digitsOf(filter);
  const min = parseBound(amount_min, digits, locale);
  const max = parseBound(amount_max, digits, locale);
  return { ...others, ...(min !== null && { amount_min: min }), ...(max !== null && { amount_max: max }) };
}

const digitsOf = ({ decimals }: AmountFilter): number =>
  decimals !== undefined && Object.hasOwn(DECIMALS, decimals) ? Number(decimals) : 2;

/** @returns minor units; null for what is no amount, and for 0, which no payment has */
function parseBound(text: string, digits: number, locale: string): number | null {
  const minorUnits = parseDecimal(text, digits, locale);
  return minorUnits === 0 ? null : minorUnits;
}
