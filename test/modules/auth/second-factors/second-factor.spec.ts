import {
  newRecoveryCodes,
  otpRequired,
  SecondFactor,
  wrongCode,
} from '../../../../src/modules/auth/second-factors/second-factor';

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

  it('hashes recovery codes as those that people have were', () => {
    const { recoveryCodes } = confirmed(['XK4D2A-Q7PLM3-5RTB6N-WZ2YHC']);
    expect(recoveryCodes).toEqual(['aO7RX28Edf0SVaMvQ4zUjM3nUK1B_tR2e0L7LxYCa48']);
  });

  it('has an error of its own for a login without a code, and not for one with a wrong code', () => {
    expect([otpRequired().code, wrongCode().code]).toEqual(['otp_required', 'invalid_credentials']);
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

  it('forgets wrong codes after a right one, also a recovery code', () => {
    const codes = newRecoveryCodes();
    const uses: [string, (factor: SecondFactor) => unknown, number][] = [
      ['a used step', (factor) => factor.useStep(100), 1],
      ['an unknown recovery code', (factor) => factor.useRecoveryCode('x'), 1],
      ['a new step', (factor) => factor.useStep(101), 0],
      ['a recovery code', (factor) => factor.useRecoveryCode(codes[0]!), 0],
      ['another enrolment', (factor) => factor.confirm(102, [], START), 0],
    ];
    for (const [name, use, left] of uses) {
      const factor = confirmed(codes);
      factor.countWrongCode(START);
      use(factor);
      const expected = [name, left, left === 0 ? null : START];
      expect([name, factor.wrongCodes, factor.wrongCodesSince]).toEqual(expected);
    }
  });

  it('can be stored under another key, before and after it is confirmed', () => {
    const factor = SecondFactor.create('usr_1');
    const replace = (encrypted: string): string => `${encrypted}!`;
    factor.mapSecrets(replace);
    expect([factor.secret, factor.pendingSecret]).toEqual([null, null]);
    factor.begin('first');
    factor.mapSecrets(replace);
    factor.confirm(100, [], START);
    factor.mapSecrets(replace);
    expect([factor.secret, factor.pendingSecret]).toEqual(['first!!', null]);
  });

  it('starts without codes, and says when it was confirmed', () => {
    expect(SecondFactor.create('usr_1')).toEqual({
      subjectId: 'usr_1',
      secret: null,
      pendingSecret: null,
      confirmedAt: null,
      lastStep: null,
      recoveryCodes: [],
      wrongCodes: 0,
      wrongCodesSince: null,
    });
    expect(confirmed()).toMatchObject({ confirmedAt: START, lastStep: 100 });
    expect(SecondFactor.create('usr_1').useStep(0)).toBe(true);
  });

  it('says how long to wait after too many wrong codes', () => {
    const factor = confirmed();
    for (let count = 0; count < 5; count += 1) factor.countWrongCode(START);
    expect(() => factor.assertGuessAllowed(START)).toThrow(
      expect.objectContaining({ code: 'rate_limited', retryAfterSeconds: 3600 }),
    );
  });
});
