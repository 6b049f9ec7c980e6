import fc from 'fast-check';
import {
  NewSplit,
  splitAccountIds,
  splitAmount,
  splitsMember,
  splitsRule,
} from '../../../src/modules/payment-requests/domain/splits';
import { rounds, SEED } from '../../support/rounds';

const other = (index: number) => `acc_${index}`;
const split = (amount: number, ...parts: Omit<NewSplit, 'account_id'>[]) =>
  splitAmount(
    'acc_own',
    amount,
    parts.map((part, index) => ({ account_id: other(index), ...part })),
  );

describe('Splits', () => {
  it('round percentages down, and leave the rest', () => {
    const parts = split(1001, { percent: 33.33 }, { percent: 12.5 }, { amount: 400 });
    expect(parts!.map(({ amount }) => amount)).toEqual([333, 125, 400]);
    expect(splitAmount('acc_own', 1001, undefined)).toBeNull();
  });

  it(`sum with the remainder to the payment, to the last minor unit (seed ${SEED})`, () => {
    const amounts = fc.integer({ min: 10_000, max: Number.MAX_SAFE_INTEGER });
    const basisPoints = fc.array(fc.integer({ min: 1, max: 500 }), { minLength: 1, maxLength: 20 });
    const property = fc.property(amounts, basisPoints, (amount, points) => {
      const parts = split(amount, ...points.map((point) => ({ percent: point / 100 })))!;
      for (const [index, part] of parts.entries())
        expect(BigInt(part.amount)).toBe((BigInt(amount) * BigInt(points[index]!)) / 10_000n);
      const sum = parts.reduce((total, part) => total + BigInt(part.amount), 0n);
      const rest = BigInt(amount) - sum;
      const exactRest = BigInt(amount) * BigInt(10_000 - points.reduce((total, point) => total + point, 0));
      // What rounding takes from a part, less than one minor unit each, stays.
      expect(rest * 10_000n).toBeGreaterThanOrEqual(exactRest);
      expect(rest * 10_000n).toBeLessThan(exactRest + BigInt(points.length) * 10_000n);
    });
    fc.assert(property, { seed: SEED, numRuns: rounds(200) });
  });

  it('may be the whole payment', () => {
    expect(split(100, { percent: 60 }, { amount: 40 })!.map(({ amount }) => amount)).toEqual([60, 40]);
  });

  it('name their accounts, and are shown with them', () => {
    const splits = split(100, { percent: 60 }, { amount: 40 });
    expect(splitAccountIds({ splits })).toEqual([other(0), other(1)]);
    expect(splitsMember({ splits })).toEqual({
      splits: [
        { account_id: other(0), amount: 60, percent: 60 },
        { account_id: other(1), amount: 40 },
      ],
    });
    expect([splitAccountIds({ splits: null }), splitsMember({ splits: null })]).toEqual([[], false]);
  });

  it.each<[string, Parameters<typeof split>]>([
    ['more than the payment', [100, { amount: 60 }, { amount: 41 }]],
    ['more than the payment, in percent', [100, { percent: 60 }, { percent: 40.01 }, { amount: 1 }]],
    ['more than can be added', [Number.MAX_SAFE_INTEGER, { percent: 100 }, { amount: 2 }]],
    ['less than one minor unit', [99, { percent: 1 }]],
  ])('are never %s', (_, parts) => {
    expect(() => split(...parts)).toThrow(expect.objectContaining({ code: 'invalid_request' }));
  });

  it.each([
    ['the account itself', ['acc_own']],
    ['one account twice', ['acc_1', 'acc_1']],
  ])('are never for %s', (_, ids) => {
    const parts = ids.map((account_id) => ({ account_id, amount: 1 }));
    expect(() => splitAmount('acc_own', 100, parts)).toThrow(
      expect.objectContaining({ code: 'invalid_request' }),
    );
  });

  it('are lists of 1 to 20 accounts, each with an amount or a percentage', () => {
    const account_id = other(1);
    const valid = [{ amount: 1 }, { percent: 100 }, { percent: 0.01 }, { percent: 33.33 }, { percent: 0.07 }];
    for (const part of valid) expect(splitsRule.isValid([{ account_id, ...part }])).toBe(true);
    const invalid = [
      {},
      { amount: 1, percent: 1 },
      ...[0, -1, 1.5, '1', null, 2 ** 53].map((amount) => ({ amount })),
      ...[0, -1, 100.01, 0.001, 33.333, '5', null, NaN].map((percent) => ({ percent })),
      { amount: 1, skipped: true },
      { amount: 1, account_id: 7 },
    ];
    for (const part of invalid) expect(splitsRule.isValid([{ account_id, ...part }])).toBe(false);
    const one = { account_id, amount: 1 };
    for (const list of [[], Array(21).fill(one), one, [null], ['x'], 'x'])
      expect(splitsRule.isValid(list)).toBe(false);
    expect(splitsRule.isValid(Array(20).fill(one))).toBe(true);
  });
});
