import { newRecoveryCodes, SecondFactor } from '../../../../src/modules/auth/second-factors/second-factor';

const START = new Date('2026-03-01T12:00:00.000Z');
const later = (seconds: number): Date => new Date(START.getTime() + seconds * 1000);

function confirmed(recoveryCodes: readonly string[] = []): SecondFactor {
  const factor = SecondFactor.create('usr_1');
  factor.begin('encrypted');
  factor.confirm(100, recoveryCodes, START);
  return factor;
}

describe('SecondFactor', () => {
  it('is off until it is confirmed, and a new enrolment does not change that', () => {
    const factor = SecondFactor.create('usr_1');
    factor.begin('first');
    expect(factor.isOn).toBe(false);
    factor.confirm(100, [], START);
    expect([factor.isOn, factor.secret, factor.pendingSecret]).toEqual([true, 'first', null]);
    factor.begin('second');
    expect([factor.isOn, factor.secret, factor.pendingSecret]).toEqual([true, 'first', 'second']);
  });

  it('accepts the code of each time step once, and none of an earlier step', () => {
    const factor = confirmed();
    expect([100, 99, 102, 102, 101, 103].map((step) => factor.useStep(step))).toEqual([
      false,
      false,
      true,
      false,
      false,
      true,
    ]);
  });

  it('accepts each recovery code once, in any spelling', () => {
    const codes = newRecoveryCodes();
    const factor = confirmed(codes);
    const [first, second] = codes as [string, string];
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^([A-Z2-7]{6}-){3}[A-Z2-7]{6}$/);
    expect(factor.useRecoveryCode(first)).toBe(true);
    expect(factor.useRecoveryCode(first)).toBe(false);
    expect(factor.useRecoveryCode(` ${second.toLowerCase().replaceAll('-', ' ')}`)).toBe(true);
    expect(factor.useRecoveryCode('')).toBe(false);
    expect(factor.recoveryCodes).toHaveLength(8);
    for (const stored of factor.recoveryCodes) expect(codes).not.toContain(stored);
  });

  it('allows 5 wrong codes in 60 minutes', () => {
    const factor = confirmed();
    for (let count = 0; count < 5; count += 1) {
      factor.assertGuessAllowed(later(count));
      factor.countWrongCode(later(count));
    }
    expect(() => factor.assertGuessAllowed(later(5))).toThrow(/Retry in 3595 seconds/);
    expect(() => factor.assertGuessAllowed(later(3599))).toThrow(/Retry in 1 seconds/);
    factor.assertGuessAllowed(later(3600));
    factor.countWrongCode(later(3600));
    expect([factor.wrongCodes, factor.wrongCodesSince]).toEqual([1, later(3600)]);
  });
});
