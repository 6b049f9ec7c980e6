import { useMemo } from 'react';
import { useI18n } from './i18n';

/** The digits after the decimal point of a currency (ISO 4217). */
function minorUnitDigits(currency: string): number {
  return (
    new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions().maximumFractionDigits ?? 2
  );
}

/** Returns an amount in minor units as an exact decimal number, for example `12.50`. */
export function decimalAmount(minorUnits: number, currency: string): `${number}` {
  const digits = minorUnitDigits(currency);
  const text = String(Math.abs(minorUnits)).padStart(digits + 1, '0');
  const whole = text.slice(0, text.length - digits);
  const sign = minorUnits < 0 ? '-' : '';
  return `${sign}${digits === 0 ? whole : `${whole}.${text.slice(-digits)}`}` as `${number}`;
}

/** Reads an amount that was typed, with a point or a comma. @returns minor units; null for what is no such amount */
export function parseAmount(text: string, currency: string): number | null {
  return parseDecimal(text, minorUnitDigits(currency));
}

/** Reads a number that was typed. @param digits after the point, at most. @returns it without the point, or null */
export function parseDecimal(text: string, digits: number): number | null {
  const match = /^(\d{1,16})(?:[.,](\d+))?$/.exec(text.trim());
  const [, whole = '', fraction = ''] = match ?? [];
  if (match === null || fraction.length > digits) return null;
  const minorUnits = Number(whole + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(minorUnits) ? minorUnits : null;
}

/** The units of times that have passed, in minutes. */
const steps = [
  ['minute', 1],
  ['hour', 60],
  ['day', 24 * 60],
] as const;

export interface Formats {
  readonly money: (minorUnits: number, currency: string) => string;
  readonly date: (iso: string) => string;
  /** A day in UTC, such as `2026-11-22`. */
  readonly day: (isoDate: string) => string;
  readonly time: (iso: string) => string;
  /** How long ago a time was, such as `3 days ago`. */
  readonly ago: (iso: string) => string;
  readonly number: (value: number) => string;
}

/** Writes values as the language of the console does. Times are those of the device. */
export function useFormats(): Formats {
  const { locale } = useI18n();
  return useMemo(() => {
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
    const time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    const number = new Intl.NumberFormat(locale);
    const currencies = new Map<string, Intl.NumberFormat>();
    const inCurrency = (currency: string): Intl.NumberFormat => {
      const known =
        currencies.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
      currencies.set(currency, known);
      return known;
    };
    return {
      money: (minorUnits, currency) => inCurrency(currency).format(decimalAmount(minorUnits, currency)),
      date: (iso) => date.format(new Date(iso)),
      day: (isoDate) => day.format(new Date(isoDate)),
      time: (iso) => time.format(new Date(iso)),
      ago: (iso) => {
        const minutes = Math.round((Date.now() - Date.parse(iso)) / 60_000);
        const [unit, size] = steps.findLast(([, smallest]) => minutes >= smallest) ?? steps[0];
        return relative.format(-Math.floor(Math.max(0, minutes) / size), unit);
      },
      number: (value) => number.format(value),
    };
  }, [locale]);
}
