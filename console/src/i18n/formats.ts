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

export interface Formats {
  readonly money: (minorUnits: number, currency: string) => string;
  readonly date: (iso: string) => string;
  readonly time: (iso: string) => string;
  readonly number: (value: number) => string;
}

/** Writes values as the language of the console does. Times are those of the device. */
export function useFormats(): Formats {
  const { locale } = useI18n();
  return useMemo(() => {
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    const time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
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
      time: (iso) => time.format(new Date(iso)),
      number: (value) => number.format(value),
    };
  }, [locale]);
}
