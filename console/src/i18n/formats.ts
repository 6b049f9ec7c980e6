import { useMemo } from 'react';
import { decimalAmount, parseAmount, typedAmount } from './amounts';
import { useI18n } from './i18n';

/** The units of times that have passed, in minutes. */
const steps = [
  ['minute', 1],
  ['hour', 60],
  ['day', 24 * 60],
] as const;

export interface Formats {
  readonly money: (minorUnits: number, currency: string) => string;
  /** An amount as one types it, to begin a field with. */
  readonly typedAmount: (minorUnits: number, currency: string) => string;
  /** Reads an amount that was typed. @returns minor units; null for what is no such amount */
  readonly parseAmount: (text: string, currency: string) => number | null;
  readonly date: (iso: string) => string;
  /** A day in UTC, such as `2026-11-22`. */
  readonly day: (isoDate: string) => string;
  /** A month in UTC, such as `2026-11`. */
  readonly month: (isoMonth: string) => string;
  readonly time: (iso: string) => string;
  /** How long ago a time was, such as `3 days ago`. */
  readonly ago: (iso: string) => string;
  readonly number: (value: number) => string;
  /** A share of 1. */
  readonly percent: (share: number) => string;
  /** How much something has changed: a number with its sign, and a share with its sign. */
  readonly signed: (value: number) => string;
  readonly signedPercent: (share: number) => string;
  /** The time zone of the times, which is that of the device. */
  readonly zone: string;
}

/** Writes values as the language of the console does. Times are those of the device. */
export function useFormats(): Formats {
  const { locale } = useI18n();
  return useMemo(() => {
    const date = new Intl.DateTimeFormat(locale, { dateStyle: 'medium' });
    const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
    const month = new Intl.DateTimeFormat(locale, { month: 'long', year: 'numeric', timeZone: 'UTC' });
    const time = new Intl.DateTimeFormat(locale, {
      dateStyle: 'medium',
      timeStyle: 'short',
    });
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto' });
    const number = new Intl.NumberFormat(locale);
    const percent = { style: 'percent', maximumFractionDigits: 1 } as const;
    const signed = { signDisplay: 'exceptZero', maximumFractionDigits: 1 } as const;
    const [share, change, changedShare] = [percent, signed, { ...percent, ...signed }].map(
      (options) => new Intl.NumberFormat(locale, options),
    ) as [Intl.NumberFormat, Intl.NumberFormat, Intl.NumberFormat];
    const zone = new Intl.DateTimeFormat(locale, { timeZoneName: 'longGeneric' })
      .formatToParts()
      .find(({ type }) => type === 'timeZoneName')!.value;
    const currencies = new Map<string, Intl.NumberFormat>();
    const inCurrency = (currency: string): Intl.NumberFormat => {
      const known =
        currencies.get(currency) ?? new Intl.NumberFormat(locale, { style: 'currency', currency });
      currencies.set(currency, known);
      return known;
    };
    return {
      money: (minorUnits, currency) => inCurrency(currency).format(decimalAmount(minorUnits, currency)),
      typedAmount: (minorUnits, currency) => typedAmount(minorUnits, currency, locale),
      parseAmount: (text, currency) => parseAmount(text, currency, locale),
      date: (iso) => date.format(new Date(iso)),
      day: (isoDate) => day.format(new Date(isoDate)),
      month: (isoMonth) => month.format(new Date(isoMonth)),
      time: (iso) => time.format(new Date(iso)),
      ago: (iso) => {
        const minutes = Math.round((Date.now() - Date.parse(iso)) / 60_000);
        const [unit, size] = steps.findLast(([, smallest]) => minutes >= smallest) ?? steps[0];
        return relative.format(-Math.floor(Math.max(0, minutes) / size), unit);
      },
      number: (value) => number.format(value),
      percent: (value) => share.format(value),
      signed: (value) => change.format(value),
      signedPercent: (value) => changedShare.format(value),
      zone,
    };
  }, [locale]);
}
