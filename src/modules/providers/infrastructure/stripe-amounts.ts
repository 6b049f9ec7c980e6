import { minorUnitDigits } from '../../../kernel/currency';
import { Refusal } from '../../../kernel/refusal';

/**
 * Stripe's amounts are ISO 4217's minor units, but for these currencies. ISK and UGX have no minor unit any more and
 * keep their two digits there, both zero; MGA has one that Stripe does not count in.
 */
const DIGITS_AT_STRIPE: Readonly<Record<string, number>> = { ISK: 2, UGX: 2, MGA: 0 };

/** The currencies of three digits that Stripe knows. It wants the last one to be zero. */
const OF_THREE_DIGITS = new Set(['BHD', 'JOD', 'KWD', 'OMR', 'TND']);
const OF_NO_DIGITS = new Set('BIF CLP DJF GNF JPY KMF KRW PYG RWF VND VUV XAF XOF XPF ISK UGX'.split(' '));

/**
 * An amount of minor units as Stripe counts it, exactly.
 * @throws Refusal `invalid_request` where it cannot be told to Stripe
 */
export function toStripeAmount(amount: number, currency: string): number {
  const factor = factorOf(currency);
  const step = OF_THREE_DIGITS.has(currency) ? 10 : factor < 1 ? Math.round(1 / factor) : 1;
  if (amount % step !== 0) {
    throw new Refusal('invalid_request', `Stripe moves ${currency} in steps of ${step} minor units only.`);
  }
  const counted = factor < 1 ? amount / step : amount * factor;
  if (!Number.isSafeInteger(counted)) {
    throw new Refusal('invalid_request', `${amount} is more than Stripe moves of ${currency}.`);
  }
  return counted;
}

/** What Stripe counted, in minor units. A fraction of one, which only a mistake could bring, counts as a whole one. */
export function fromStripeAmount(counted: number, currency: string): number {
  return Math.max(1, Math.ceil(counted / factorOf(currency)));
}

/** How many of Stripe's units a minor unit is. */
function factorOf(currency: string): number {
  const digits = minorUnitDigits(currency);
  const known = digits === 2 || (digits === 0 ? OF_NO_DIGITS : OF_THREE_DIGITS).has(currency);
  if (!known) throw new Refusal('invalid_request', `Stripe does not move ${currency}.`);
  return 10 ** ((DIGITS_AT_STRIPE[currency] ?? digits) - digits);
}
