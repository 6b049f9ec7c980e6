import fc from 'fast-check';
import { addMinorUnits, isAmount, MAX_MINOR_UNITS } from '../../src/kernel/money';
import { SEED } from '../support/rounds';

describe('isAmount', () => {
  it('has the maximum 2^53 - 1', () => {
    expect(MAX_MINOR_UNITS).toBe(9_007_199_254_740_991);
  });

  it.each([1, 2, 100, 2 ** 53 - 1])('accepts %d', (amount) => {
    expect(isAmount(amount)).toBe(true);
  });

  it.each([
    0,
    -0,
    -1,
    1.5,
    0.1,
    2 ** 53,
    2 ** 63,
    1e300,
    NaN,
    Infinity,
    '100',
    '',
    null,
    undefined,
    true,
    [1],
    {},
    1n,
  ])('rejects %p', (amount) => {
    expect(isAmount(amount)).toBe(false);
  });
});

describe('addMinorUnits', () => {
  const units = fc.oneof(
    fc.integer({ min: 0, max: 1000 }),
    fc.maxSafeNat(),
    fc.integer({ min: 0, max: 1000 }).map((below) => MAX_MINOR_UNITS - below),
  );

  it('returns the exact sum or rejects one beyond the largest balance', () => {
    fc.assert(
      fc.property(units, units, (a, b) => {
        const sum = BigInt(a) + BigInt(b);
        if (sum <= BigInt(MAX_MINOR_UNITS)) expect(addMinorUnits(a, b, 'It')).toBe(Number(sum));
        else
          expect(() => addMinorUnits(a, b, 'It')).toThrow(
            expect.objectContaining({ code: 'invalid_request' }),
          );
      }),
      { seed: SEED },
    );
  });

  it('rejects a sum one above the largest balance', () => {
    expect(addMinorUnits(MAX_MINOR_UNITS - 1, 1, 'It')).toBe(MAX_MINOR_UNITS);
    expect(() => addMinorUnits(MAX_MINOR_UNITS, 1, 'The balance')).toThrow(/^The balance would exceed/);
  });
});
