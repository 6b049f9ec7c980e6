import { parseDecimal } from '../i18n/amounts';
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

export function amountFilters({ list }: Messages): Filter[] {
  return [
    { name: 'amount_min', label: list.amountFrom, type: 'amount' },
    { name: 'amount_max', label: list.amountTo, type: 'amount' },
    { name: 'decimals', label: list.decimals, options: DECIMALS },
  ];
}

/**
 * The filters of the API: minor units. What is no amount is sent as it is: the service says what is wrong with it.
 * @param locale in whose language the amounts were typed
 */
export function inMinorUnits<T extends AmountFilter>(
  { decimals, amount_min, amount_max, ...others }: T,
  locale: string,
) {
  const digits = decimals !== undefined && decimals in DECIMALS ? Number(decimals) : 2;
  const minorUnits = (text: string): number =>
    parseDecimal(text, digits, locale) ?? (text as unknown as number);
  return {
    ...others,
    ...(amount_min !== undefined && { amount_min: minorUnits(amount_min) }),
    ...(amount_max !== undefined && { amount_max: minorUnits(amount_max) }),
  };
}
