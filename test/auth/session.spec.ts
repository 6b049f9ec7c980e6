import { DAY_MS, SECOND_MS } from '../../src/kernel/clock';
import { Credential, SubjectKind } from '../../src/modules/auth/domain/credential';
import { hashRefreshToken, RefreshToken } from '../../src/modules/auth/domain/refresh-token';
import { Session } from '../../src/modules/auth/domain/session';

const START = new Date('2026-03-01T12:00:00.000Z');
const DEVICE = { ip: '203.0.113.7', userAgent: 'a browser' };

function aCredential(kind: SubjectKind, more: Partial<Credential> = {}): Credential {
  const account = kind === 'account' ? { accountId: 'acc_own', standing: 'owner' as const } : {};
  const fixed = {
    kind,
    emailKey: 'ada@example.com',
    passwordHash: 'a hash',
    role: 'user' as const,
    barred: false,
  };
  const none = { accountId: null, standing: null };
  return { ...none, ...account, ...fixed, subjectId: kind === 'user' ? 'usr_1' : 'acc_own', ...more };
}

const after = (days: number, milliseconds = 0) => new Date(START.getTime() + days * DAY_MS + milliseconds);

describe('Session', () => {
  describe('lives 30 days after its last refresh', () => {
    const session = Session.open([aCredential('user')], DEVICE, START);

    it.each([
      [0, 0, true],
      [30, -1, true],
      [30, 0, false],
      [31, 0, false],
    ])('is read %i days and %i ms after the login: live %s', (days, milliseconds, live) => {
      expect(session.isLive(after(days, milliseconds))).toBe(live);
    });

    it('is moved on by a refresh', () => {
      const refreshed = Session.open([aCredential('user')], DEVICE, START);
      refreshed.use(after(29));
      expect(refreshed.expiresAt).toEqual(after(59));
      expect(refreshed.lastUsedAt).toEqual(after(29));
      expect(refreshed.createdAt).toEqual(START);
    });
  });

  it('never lives longer than 90 days, however often it is refreshed', () => {
    const session = Session.open([aCredential('user')], DEVICE, START);
    for (let day = 1; day < 90; day += 1) {
      expect(session.isLive(after(day))).toBe(true);
      session.use(after(day));
      expect(session.expiresAt).toEqual(after(Math.min(day + 30, 90)));
    }
    expect(session.isLive(after(90, -1))).toBe(true);
    expect(session.isLive(after(90))).toBe(false);
  });

  it('is over once it has ended', () => {
    const session = Session.open([aCredential('user')], DEVICE, START);
    session.end(after(1));
    expect(session.isLive(after(1))).toBe(false);
    expect(session.isLive(after(0))).toBe(false);
  });

  describe('acts for', () => {
    const user = aCredential('user');
    const member = aCredential('user', { accountId: 'acc_other', standing: 'member' });
    const account = aCredential('account');
    const admin = aCredential('user', { role: 'admin' });

    it.each([
      ['a user without an account', [user], ['usr_1', null, null, null, 'user', 'usr_1']],
      ['a member', [member], ['usr_1', null, 'acc_other', 'member', 'user', 'usr_1']],
      ['an account', [account], [null, 'acc_own', 'acc_own', 'owner', 'user', 'acc_own']],
      [
        'both: the account that was opened',
        [user, account],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'user', 'usr_1'],
      ],
      [
        'both: not the one the user is tied to',
        [account, member],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'user', 'usr_1'],
      ],
      [
        'both: with the role of the user',
        [account, admin],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'admin', 'usr_1'],
      ],
    ])('%s', (_, opened, [userId, openedAccountId, accountId, standing, role, subjectId]) => {
      const session = Session.open(opened, DEVICE, START);
      expect(session.principal()).toEqual({
        sessionId: session.id,
        userId,
        openedAccountId,
        accountId,
        standing,
        role,
        subjectId,
      });
    });
  });

  it('belongs to the user and to the account whose password opened it, and to nobody else', () => {
    const principalOf = (...opened: Credential[]) => Session.open(opened, DEVICE, START).principal();
    const both = Session.open([aCredential('user'), aCredential('account')], DEVICE, START);
    const ofUser = Session.open([aCredential('user')], DEVICE, START);
    expect(both.isOf(principalOf(aCredential('user')))).toBe(true);
    expect(both.isOf(principalOf(aCredential('account')))).toBe(true);
    expect(ofUser.isOf(principalOf(aCredential('account')))).toBe(false);
    expect(ofUser.isOf(principalOf(aCredential('user', { subjectId: 'usr_2' })))).toBe(false);
    const members = [1, 2].map((n) =>
      aCredential('user', { subjectId: `usr_${n}`, accountId: 'acc_own', standing: 'member' }),
    );
    expect(Session.open([members[0]!], DEVICE, START).isOf(principalOf(members[1]!))).toBe(false);
  });

  it('keeps a user agent of bounded length, cut between characters', () => {
    const userAgent = `${'x'.repeat(254)}🦊 and more`;
    const kept = Session.open([aCredential('user')], { ip: DEVICE.ip, userAgent }, START).userAgent!;
    expect(kept).toHaveLength(255);
    expect(kept.isWellFormed()).toBe(true);
    expect(
      Session.open([aCredential('user')], { ip: DEVICE.ip, userAgent: null }, START).userAgent,
    ).toBeNull();
  });
});

describe('RefreshToken', () => {
  const GRACE_SECONDS = 10;
  const later = (milliseconds: number) => new Date(START.getTime() + milliseconds);

  it('is 256 random bits, of which only a hash is kept', () => {
    const issued = Array.from({ length: 100 }, () => RefreshToken.issue('ses_1', START));
    expect(new Set(issued.map(({ token }) => token)).size).toBe(100);
    for (const { token, record } of issued) {
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
      expect(record).toEqual({
        hash: hashRefreshToken(token),
        sessionId: 'ses_1',
        createdAt: START,
        usedAt: null,
      });
      expect(JSON.stringify(record)).not.toContain(token);
    }
  });

  it.each([
    ['at once', 0, true],
    ['at the end of the grace', GRACE_SECONDS * SECOND_MS, true],
    ['a millisecond after the grace', GRACE_SECONDS * SECOND_MS + 1, false],
    ['a day later', DAY_MS, false],
    ['by a replica whose clock is behind', -50, true],
  ])('is used again %s', (_, milliseconds, allowed) => {
    const { record } = RefreshToken.issue('ses_1', START);
    expect(record.use(later(0), GRACE_SECONDS)).toBe(true);
    expect(record.use(later(milliseconds), GRACE_SECONDS)).toBe(allowed);
  });

  it('counts the grace from the first use, so that repeats do not prolong it', () => {
    const { record } = RefreshToken.issue('ses_1', START);
    record.use(later(0), GRACE_SECONDS);
    expect(record.use(later(9_000), GRACE_SECONDS)).toBe(true);
    expect(record.use(later(18_000), GRACE_SECONDS)).toBe(false);
    expect(record.usedAt).toEqual(START);
  });

  it('works once only where there is no grace', () => {
    const { record } = RefreshToken.issue('ses_1', START);
    expect(record.use(later(0), 0)).toBe(true);
    expect(record.use(later(1), 0)).toBe(false);
  });
});
