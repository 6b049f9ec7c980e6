import fc from 'fast-check';
import { minorUnitDigits } from '../../../src/kernel/money';
import {
  fromStripeAmount,
  toStripeAmount,
} from '../../../src/modules/processors/infrastructure/stripe/stripe-amounts';
import { SEED } from '../../support/rounds';

const convert = (amount: number, currency: string): number | string => {
  try {
    return toStripeAmount(amount, currency);
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe('Amounts in the unit of Stripe', () => {
  it.each([
    ['USD', 1250, 1250],
    ['HUF', 1250, 1250],
    ['TWD', 1250, 1250],
    ['JPY', 1250, 1250],
    ['XOF', 1, 1],
    ['ISK', 5, 500],
    ['UGX', 5, 500],
    ['MGA', 500, 5],
    ['MGA', 550, 'invalid_request'],
    ['KWD', 5120, 5120],
    ['KWD', 5124, 'invalid_request'],
    ['TND', 10, 10],
    ['IQD', 1000, 'invalid_request'],
    ['UYI', 1, 'invalid_request'],
    ['XAU', 1, 'invalid_request'],
    ['CLF', 10_000, 'invalid_request'],
    ['ISK', Number.MAX_SAFE_INTEGER, 'invalid_request'],
    ['USD', Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])('%s %d: %s', (currency, amount, expected) => expect(convert(amount, currency)).toBe(expected));

  it(`convert in both directions without a change (seed ${SEED})`, () => {
    const currencies = fc.constantFrom('USD', 'JPY', 'ISK', 'UGX', 'MGA', 'BHD', 'JOD', 'KWD', 'OMR', 'TND');
    fc.assert(
      fc.property(currencies, fc.integer({ min: 1, max: 10 ** 12 }), (currency, amount) => {
        const converted = convert(amount, currency);
        if (typeof converted === 'string') return amount % (10 * 10 ** (3 - minorUnitDigits(currency))) !== 0;
        return Number.isSafeInteger(converted) && fromStripeAmount(converted, currency) === amount;
      }),
      { seed: SEED },
    );
  });

  it('are rounded up from a fraction of a minor unit', () => {
    expect([fromStripeAmount(550, 'ISK'), fromStripeAmount(1, 'UGX')]).toEqual([6, 1]);
  });
});
