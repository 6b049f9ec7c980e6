import { minorUnitDigits } from '../../kernel/money';

/** Returns a date and time as it is written in a language (BCP 47), in an IANA time zone, with the name of the zone. */
export function formatDateTime(at: Date, language: string, timezone: string): string {
  return new Intl.DateTimeFormat(language, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: timezone,
    timeZoneName: 'short',
  }).format(at);
}

/** Returns an amount in minor units as an exact decimal number, for example `-12.50`. */
export function decimalAmount(minorUnits: number, currency: string): `${number}` {
  const digits = minorUnitDigits(currency);
  const text = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  const whole = (minorUnits < 0 ? '-' : '') + text.slice(0, text.length - digits);
  return (digits === 0 ? whole : `${whole}.${text.slice(-digits)}`) as `${number}`;
}

/** Returns an amount in minor units as it is written in a language (BCP 47), for example `12,50 €`. */
export function formatAmount(minorUnits: number, currency: string, language: string): string {
  const digits = minorUnitDigits(currency);
  return new Intl.NumberFormat(language, {
    style: 'currency',
    currency,
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  }).format(decimalAmount(minorUnits, currency)); // a string, because a number with that many digits is rounded
}
