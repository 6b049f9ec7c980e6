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

/** Returns an amount in minor units as one types it in a language, for example `12,50` in German. */
export function typedAmount(minorUnits: number, currency: string, locale: string): string {
  return decimalAmount(minorUnits, currency).replace('.', pointOf(locale));
}

/** Reads an amount that was typed in a language. @returns minor units; null for what is no such amount */
export function parseAmount(text: string, currency: string, locale: string): number | null {
  return parseDecimal(text, minorUnitDigits(currency), locale);
}

/**
 * Reads a number that was typed with the separators of a language. The separator of another language is read where it
 * can mean nothing else, such as `2,50` in English. `1,500` in English is refused where there are three digits after
 * the point, because it may be 1500 or 1.5.
 * @param digits after the point, at most
 * @returns the number without the point; null for what is no such number, or may be two
 */
export function parseDecimal(text: string, digits: number, locale: string): number | null {
  const point = pointOf(locale);
  const group = point === ',' ? '.' : ',';
  const typed = text.trim().replaceAll(/[\s'’]/g, ' ');
  if (digits >= 3 && new RegExp(`^\\d{1,3}\\${group}\\d{3}$`).test(typed)) return null;
  const whole = `\\d{1,16}|\\d{1,3}([\\${group} ])\\d{3}(?:\\2\\d{3})*`;
  const match =
    new RegExp(`^(${whole})(?:\\${point}(\\d+))?$`).exec(typed) ??
    new RegExp(`^(\\d{1,16})()\\${group}(\\d{1,2})$`).exec(typed);
  if (match === null) return null;
  const [, integer = '', , fraction = ''] = match;
  if (fraction.length > digits) return null;
  const minorUnits = Number(integer.replaceAll(/\D/g, '') + fraction.padEnd(digits, '0'));
  return Number.isSafeInteger(minorUnits) ? minorUnits : null;
}

/** What stands before the decimals in a language: a point or a comma. */
function pointOf(locale: string): '.' | ',' {
  const parts = new Intl.NumberFormat(locale).formatToParts(0.5);
  return parts.find(({ type }) => type === 'decimal')?.value === ',' ? ',' : '.';
}
