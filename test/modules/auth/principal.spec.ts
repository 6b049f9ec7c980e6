import {
  assertAdmin,
  assertBackOffice,
  assertOperator,
  assertSeesAllAccounts,
  insufficientPermission,
  isAdmin,
  isBackOffice,
  isOperator,
  mayActFor,
  mustEnrol,
  owns,
  Principal,
  RecentLogin,
  Role,
  roles,
  seesAllAccounts,
} from '../../../src/modules/auth/domain/principal';

const principal = (members: Partial<Principal>): Principal => ({ role: 'user', ...members }) as Principal;

/** The roles that a check lets pass. */
const passing = (check: (caller: Principal) => boolean): Role[] =>
  roles.filter((role) => check(principal({ role })));

describe('A role', () => {
  it.each([
    ['is an admin', isAdmin, assertAdmin, ['admin']],
    ['belongs to the back office', isBackOffice, assertBackOffice, ['support', 'admin']],
    ['acts for any account', isOperator, assertOperator, ['platform', 'admin']],
    ['sees all accounts', seesAllAccounts, assertSeesAllAccounts, ['platform', 'support', 'admin']],
  ])('that %s', (_, check, assert, expected) => {
    expect(passing(check)).toEqual(expected);
    expect(check(null)).toBe(false);
    for (const role of roles) {
      const attempt = () => assert(principal({ role }), 'Not for you.');
      if (expected.includes(role)) expect(attempt).not.toThrow();
      else expect(attempt).toThrow(expect.objectContaining({ code: 'forbidden', message: 'Not for you.' }));
    }
  });

  it('has to set up a second factor in the back office, where that is required', () => {
    const required = { requireAdminOtp: true };
    expect(passing((caller) => mustEnrol(caller, required))).toEqual(['support', 'admin']);
    expect(passing((caller) => mustEnrol({ ...caller, secondFactor: true }, required))).toEqual([]);
    expect(passing((caller) => mustEnrol(caller, { requireAdminOtp: false }))).toEqual([]);
  });
});

describe('A caller', () => {
  it.each([
    ['owner', 'acc_1', true, true],
    ['member', 'acc_1', false, true],
    ['owner', 'acc_2', false, false],
  ] as const)(
    'who is the %s of %s: owns acc_1 %s, acts for it %s',
    (membershipRole, accountId, owner, acts) => {
      const caller = principal({ membershipRole, accountId });
      expect([owns(caller, 'acc_1'), mayActFor(caller, 'acc_1')]).toEqual([owner, acts]);
    },
  );

  it('acts for the accounts of others as an operator only', () => {
    expect(passing((caller) => mayActFor({ ...caller, accountId: null }, 'acc_1'))).toEqual([
      'platform',
      'admin',
    ]);
  });

  it('is told that another token would not help', () => {
    expect(insufficientPermission('only admins may do it.')).toMatchObject({
      code: 'unauthorized',
      message: 'The token is valid, but only admins may do it.',
    });
  });
});

describe('A recent login', () => {
  const noon = new Date('2026-03-01T12:00:00.000Z');
  const attempt = (recentLoginSeconds: number, agoMs: number) => () =>
    new RecentLogin({ now: () => noon }, { recentLoginSeconds }).assert(
      principal({ authenticatedAt: new Date(noon.getTime() - agoMs) }),
    );

  it.each([0, 900_000])('was %d ms ago, at most 900 seconds', (agoMs) => {
    expect(attempt(900, agoMs)).not.toThrow();
  });

  it('is required after that', () => {
    expect(attempt(900, 900_001)).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    expect(attempt(900, 900_001)).toThrow('this requires a login within the last 900 seconds');
  });

  it('is not required where that is disabled', () => {
    expect(attempt(0, 1e12)).not.toThrow();
  });
});
