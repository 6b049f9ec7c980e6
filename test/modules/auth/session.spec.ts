import { DAY_MS, SECOND_MS } from '../../../src/kernel/clock';
import { Credential, NewCredential, SubjectKind } from '../../../src/modules/auth/domain/credential';
import { hashToken } from '../../../src/modules/auth/domain/secret-tokens';
import { describeEnd, RefreshToken, Session } from '../../../src/modules/auth/domain/session';

const START = new Date('2026-03-01T12:00:00.000Z');
const DEVICE = { ip: '203.0.113.7', userAgent: 'a browser', requestId: 'req_1' };

function newCredential(kind: SubjectKind, fields: Partial<NewCredential> = {}): Credential {
  const isAccount = kind === 'account';
  return Credential.create({
    kind,
    subjectId: isAccount ? 'acc_own' : 'usr_1',
    email: 'ada@example.com',
    passwordHash: 'a hash',
    passwordSetByOther: false,
    accountId: isAccount ? 'acc_own' : null,
    membershipRole: isAccount ? 'owner' : null,
    role: 'user',
    disabled: false,
    ...fields,
  });
}

const daysLater = (days: number, milliseconds = 0) =>
  new Date(START.getTime() + days * DAY_MS + milliseconds);

describe('Session', () => {
  it('says in the audit log whose it was and why it ended', () => {
    const session = Session.open([newCredential('account')], DEVICE, START, false, null);
    const event = { action: 'session.end', objectId: session.id, accountId: 'acc_own' };
    expect(describeEnd(session, 'idle')).toEqual({ ...event, details: { cause: 'idle' } });
    expect(describeEnd(session)).toEqual({ ...event, details: { cause: undefined } });
  });

  it('is that of a console where idle seconds end it, and may get a second factor later', () => {
    const session = Session.open([newCredential('user')], DEVICE, START, false, null);
    const ofConsole = Session.open([newCredential('user')], DEVICE, START, false, 900);
    expect([session.isConsole, ofConsole.isConsole]).toEqual([false, true]);
    session.setSecondFactor(true);
    expect(session.principal(DEVICE).secondFactor).toBe(true);
  });

  describe('expires 30 days after its last refresh', () => {
    const session = Session.open([newCredential('user')], DEVICE, START, false, null);

    it.each([
      [0, 0, true],
      [30, -1, true],
      [30, 0, false],
      [31, 0, false],
    ])('%i days and %i ms after the login: live %s', (days, milliseconds, live) => {
      expect(session.isLive(daysLater(days, milliseconds))).toBe(live);
    });

    it('is extended by a refresh', () => {
      const refreshed = Session.open([newCredential('user')], DEVICE, START, false, null);
      refreshed.use(daysLater(29), null);
      expect(refreshed.expiresAt).toEqual(daysLater(59));
      expect(refreshed.lastUsedAt).toEqual(daysLater(29));
      expect(refreshed.createdAt).toEqual(START);
    });
  });

  it('expires after 90 days, however often it is refreshed', () => {
    const session = Session.open([newCredential('user')], DEVICE, START, false, null);
    for (let day = 1; day < 90; day += 1) {
      expect(session.isLive(daysLater(day))).toBe(true);
      session.use(daysLater(day), null);
      expect(session.expiresAt).toEqual(daysLater(Math.min(day + 30, 90)));
    }
    expect(session.isLive(daysLater(90, -1))).toBe(true);
    expect(session.isLive(daysLater(90))).toBe(false);
  });

  it('expires without activity in the console, and after 90 days with it', () => {
    const session = Session.open([newCredential('user')], DEVICE, START, false, 1200);
    expect(session.expiresAt).toEqual(daysLater(0, 1_200_000));
    session.use(daysLater(0, 600_000), 900);
    expect(session.expiresAt).toEqual(daysLater(0, 1_500_000));
    session.use(daysLater(90, -1), 900);
    expect(session.expiresAt).toEqual(daysLater(90));
  });

  it('through a provider expires 12 hours after the login, and leaves the second factor to the provider', () => {
    const admin = newCredential('user', { role: 'admin' });
    const authenticatedAt = daysLater(0, -60_000);
    const session = Session.open([admin], DEVICE, START, false, 1200, { provider: 'acme', authenticatedAt });
    session.use(daysLater(0, 12 * 3_600_000 - 1_000), 1200);
    expect(session.expiresAt).toEqual(daysLater(0.5));
    expect(session.principal(DEVICE)).toMatchObject({ secondFactor: true, authenticatedAt });
    const silent = { provider: 'acme', authenticatedAt: null };
    expect(Session.open([admin], DEVICE, START, false, 1200, silent).principal(DEVICE)).toMatchObject({
      secondFactor: true,
      authenticatedAt: START,
    });
  });

  it('has an id of its kind', () => {
    expect(Session.open([newCredential('user')], DEVICE, START, false, null).id).toMatch(/^ses_/);
  });

  it('is not live after it has ended', () => {
    const session = Session.open([newCredential('user')], DEVICE, START, false, null);
    session.end(daysLater(1));
    expect(session.isLive(daysLater(1))).toBe(false);
    expect(session.isLive(daysLater(0))).toBe(false);
  });

  describe('has the principal of', () => {
    const user = newCredential('user');
    const member = newCredential('user', { accountId: 'acc_other', membershipRole: 'member' });
    const account = newCredential('account');
    const admin = newCredential('user', { role: 'admin' });

    it.each([
      ['a user without an account', [user], ['usr_1', null, null, null, 'user', 'usr_1']],
      ['a member', [member], ['usr_1', null, 'acc_other', 'member', 'user', 'usr_1']],
      ['an account', [account], [null, 'acc_own', 'acc_own', 'owner', 'user', 'acc_own']],
      [
        'a user and an account: acts for the account',
        [user, account],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'user', 'usr_1'],
      ],
      [
        'a member and an account: acts for the account, not the linked one',
        [account, member],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'user', 'usr_1'],
      ],
      [
        'an admin and an account: has the role of the user',
        [account, admin],
        ['usr_1', 'acc_own', 'acc_own', 'owner', 'admin', 'usr_1'],
      ],
    ])('%s', (_, matched, [userId, openedAccountId, accountId, membershipRole, role, subjectId]) => {
      const session = Session.open(matched, DEVICE, START, false, null);
      expect(session.principal(DEVICE)).toEqual({
        sessionId: session.id,
        userId,
        openedAccountId,
        accountId,
        membershipRole,
        role,
        secondFactor: false,
        subjectId,
        device: DEVICE,
        authenticatedAt: START,
        scopes: null,
        pinnedVersion: null,
      });
    });
  });

  it('uses the version of the account that it acts for, and none without an account', () => {
    const pinned = newCredential('account', { apiVersion: '2026-11-20' });
    const session = Session.open([pinned], DEVICE, START, false, null);
    expect(session.principal(DEVICE).pinnedVersion).toBe('2026-11-20');
    session.pinTo('2026-11-26');
    expect(session.principal(DEVICE).pinnedVersion).toBe('2026-11-26');
    const ofUser = Session.open([newCredential('user')], DEVICE, START, false, null);
    ofUser.pinTo('2026-11-20');
    expect(ofUser.principal(DEVICE).pinnedVersion).toBeNull();
  });

  it('belongs to the user and the account whose password opened it, and to nobody else', () => {
    const principalOf = (...matched: Credential[]) =>
      Session.open(matched, DEVICE, START, false, null).principal(DEVICE);
    const both = Session.open([newCredential('user'), newCredential('account')], DEVICE, START, false, null);
    const ofUser = Session.open([newCredential('user')], DEVICE, START, false, null);
    expect(both.belongsTo(principalOf(newCredential('user')))).toBe(true);
    expect(both.belongsTo(principalOf(newCredential('account')))).toBe(true);
    expect(ofUser.belongsTo(principalOf(newCredential('account')))).toBe(false);
    expect(ofUser.belongsTo(principalOf(newCredential('user', { subjectId: 'usr_2' })))).toBe(false);
    const other = newCredential('account', { subjectId: 'acc_other', accountId: 'acc_other' });
    const ofAccount = Session.open([newCredential('account')], DEVICE, START, false, null);
    expect(ofAccount.belongsTo(principalOf(newCredential('account')))).toBe(true);
    expect(ofAccount.belongsTo(principalOf(other))).toBe(false);
    const members = [1, 2].map((n) =>
      newCredential('user', { subjectId: `usr_${n}`, accountId: 'acc_own', membershipRole: 'member' }),
    );
    expect(Session.open([members[0]!], DEVICE, START, false, null).belongsTo(principalOf(members[1]!))).toBe(
      false,
    );
  });
});

describe('RefreshToken', () => {
  const GRACE_SECONDS = 10;
  const later = (milliseconds: number) => new Date(START.getTime() + milliseconds);

  it('has 256 random bits, of which only a hash is stored', () => {
    const issued = Array.from({ length: 100 }, () => RefreshToken.issue('ses_1', START));
    expect(new Set(issued.map(({ token }) => token)).size).toBe(100);
    for (const { token, record } of issued) {
      expect(Buffer.from(token, 'base64url')).toHaveLength(32);
      expect(record).toEqual({
        hash: hashToken(token),
        sessionId: 'ses_1',
        createdAt: START,
        usedAt: null,
      });
      expect(JSON.stringify(record)).not.toContain(token);
    }
  });

  it('is hashed as the tokens that clients have were', () => {
    expect(hashToken('a token')).toBe('4zFuK6_rthA6NBjod4wK3JYNQCE6A6fn9PzTQm7YB78');
  });

  it.each([
    ['immediately', 0, true],
    ['at the end of the grace period', GRACE_SECONDS * SECOND_MS, true],
    ['a millisecond after the grace period', GRACE_SECONDS * SECOND_MS + 1, false],
    ['a day later', DAY_MS, false],
    ['on a replica whose clock is behind', -50, true],
  ])('used again %s', (_, milliseconds, allowed) => {
    const { record } = RefreshToken.issue('ses_1', START);
    expect(record.use(later(0), GRACE_SECONDS)).toBe(true);
    expect(record.use(later(milliseconds), GRACE_SECONDS)).toBe(allowed);
  });

  it('measures the grace period from the first use', () => {
    const { record } = RefreshToken.issue('ses_1', START);
    record.use(later(0), GRACE_SECONDS);
    expect(record.use(later(9_000), GRACE_SECONDS)).toBe(true);
    expect(record.use(later(18_000), GRACE_SECONDS)).toBe(false);
    expect(record.usedAt).toEqual(START);
  });

  it('is accepted once without a grace period', () => {
    const { record } = RefreshToken.issue('ses_1', START);
    expect(record.use(later(0), 0)).toBe(true);
    expect(record.use(later(1), 0)).toBe(false);
  });
});
