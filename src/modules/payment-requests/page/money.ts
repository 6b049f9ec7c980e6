import { minorUnitDigits } from '../../../kernel/currency';

/** An amount of minor units with its decimal point, exactly: `12.50`. */
export function decimalAmount(minorUnits: number, currency: string): `${number}` {
  const count = minorUnitDigits(currency);
  const text = String(minorUnits).padStart(count + 1, '0');
  const whole = text.slice(0, text.length - count);
  return (count === 0 ? whole : `${whole}.${text.slice(-count)}`) as `${number}`;
}

/** An amount of minor units as people of that language write it: `12,50 €`. */
export function formatAmount(minorUnits: number, currency: string, language: string): string {
  const count = minorUnitDigits(currency);
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: count,
    maximumFractionDigits: count,
  }).format(decimalAmount(minorUnits, currency)); // a text: a number of that many digits would round
}
