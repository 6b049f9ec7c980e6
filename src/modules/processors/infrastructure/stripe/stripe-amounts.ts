import { minorUnitDigits } from '../../../../kernel/money';
import { DomainError } from '../../../../kernel/domain-error';

/**
 * Stripe counts amounts in the minor units of ISO 4217, except for these currencies. ISK and UGX no longer have a
 * minor unit but keep two digits at Stripe, both zero; MGA has a minor unit that Stripe does not use.
 */
const STRIPE_DIGITS: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** The three-digit currencies that Stripe supports. It requires the last digit to be zero. */
const THREE_DIGIT_CURRENCIES = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);
const ZERO_DIGIT_CURRENCIES = new Set(
  'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF'.split(' '),
);

/**
 * Converts minor units to Stripe's unit, exactly.
 * @throws DomainError `invalid_request` for an amount or a currency that Stripe cannot move
 */
export function toStripeAmount(amount: number, currency: string): number {
  const factor = stripeUnitsPerMinorUnit(currency);
  const step = THREE_DIGIT_CURRENCIES.has(currency) ? 10 : factor < 1 ? Math.round(1 / factor) : 1;
  if (amount % step !== 0) {
    throw new DomainError(
      'invalid_request',
      `Stripe moves ${currency} only in multiples of ${step} minor units.`,
    );
  }
  const stripeAmount = factor < 1 ? amount / step : amount * factor;
  if (!Number.isSafeInteger(stripeAmount)) {
    throw new DomainError('invalid_request', `${amount} is more than Stripe can move in ${currency}.`);
  }
  return stripeAmount;
}

/** Converts Stripe's unit to minor units. A fraction of a minor unit, which no correct report has, is rounded up. */
export function fromStripeAmount(stripeAmount: number, currency: string): number {
  return Math.max(1, Math.ceil(stripeAmount / stripeUnitsPerMinorUnit(currency)));
}

function stripeUnitsPerMinorUnit(currency: string): number {
  const digits = minorUnitDigits(currency);
  const supported =
    digits === 2 || (digits === 0 ? ZERO_DIGIT_CURRENCIES : THREE_DIGIT_CURRENCIES).has(currency);
  if (!supported) throw new DomainError('invalid_request', `Stripe does not support ${currency}.`);
  return 10 ** ((STRIPE_DIGITS[currency] ?? digits) - digits);
}
