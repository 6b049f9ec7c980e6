import { emailKey } from '../../../src/kernel/text';
import { Credential, CredentialListeners } from '../../../src/modules/auth/domain/credential';
import { WriteTx } from '../../../src/platform/database/tx';

describe('emailKey', () => {
  it.each([
    ['Ada@Example.COM', 'ada@example.com'],
    ['ÉMILE@EXAMPLE.COM', 'émile@example.com'],
    ['e\u0301mile@example.com', '\u00e9mile@example.com'],
    ['E\u0301MILE@example.com', 'émile@example.com'],
    ['ЖУК@example.com', 'жук@example.com'],
  ])('is the same for %s and %s', (one, other) => {
    expect(emailKey(one)).toBe(emailKey(other));
  });

  it.each([
    ['ada@example.com', 'ada@example.org'],
    ['a.da@example.com', 'ada@example.com'],
    ['ada+books@example.com', 'ada@example.com'],
    ['ada@example.com ', 'ada@example.com'],
    ['emile@example.com', 'émile@example.com'],
    ['', ' '],
  ])('differs for %j and %j', (one, other) => {
    expect(emailKey(one)).not.toBe(emailKey(other));
  });

  it('is idempotent', () => {
    for (const email of ['Ada@Example.com', 'E\u0301MILE@EXAMPLE.COM', 'STRASSE@x.de', 'İ@x.tr', '']) {
      expect(emailKey(emailKey(email))).toBe(emailKey(email));
    }
  });
});

describe('Credential', () => {
  const create = (role: 'user' | 'admin', accountId: string | null) =>
    Credential.create({
      kind: 'user',
      subjectId: 'usr_1',
      email: 'Ada@Example.com',
      passwordHash: 'a hash',
      passwordSetByOther: false,
      accountId,
      membershipRole: accountId === null ? null : 'member',
      role,
      disabled: false,
    });

  it('stores the key of its email', () => {
    const credential = create('user', null);
    expect(credential.emailKey).toBe('ada@example.com');
    credential.changeEmail('King@Example.com', 'self', new Date());
    expect(credential.emailKey).toBe('king@example.com');
  });

  it('counts a password of somebody else until the link in an email replaces it', () => {
    const credential = create('user', null);
    const now = new Date('2026-11-01T12:00:00Z');
    const states = (['self', 'admin', 'self', 'email_link', 'self'] as const).map((by) => {
      credential.setPassword('a hash', by, now);
      return credential.passwordSetByOther;
    });
    expect(states).toEqual([false, true, true, false, false]);
  });

  it('never looks the same again after a change, also when the clock stands still or steps back', () => {
    const credential = create('user', null);
    const times = [0, 0, -1000].map((ms) => new Date(Date.UTC(2026, 10, 1) + ms));
    const seen = times.map((now) => {
      credential.recordChange('second_factor', 'self', now);
      return JSON.stringify(credential.loginChanges);
    });
    expect(new Set(seen).size).toBe(3);
    expect(credential.loginChanges).toEqual({
      second_factor: { at: '2026-11-01T00:00:00.002Z', by: 'self' },
    });
  });

  it.each([
    ['user', null, true],
    ['user', 'acc_1', false],
    ['admin', null, false],
  ] as const)('with role %s and account %s: linkable %s', (role, accountId, linkable) => {
    expect(create(role, accountId).isLinkable).toBe(linkable);
  });

  it('has a verified email until the email changes, or a role that vouches for it', () => {
    const now = new Date('2026-11-01T12:00:00Z');
    const credential = create('user', null);
    const states = [credential.isEmailVerified];
    credential.verifyEmail(now);
    for (const email of ['ADA@example.com', 'king@example.com']) {
      states.push(credential.isEmailVerified);
      credential.changeEmail(email, 'self', now);
    }
    expect([...states, credential.isEmailVerified]).toEqual([false, true, true, false]);
    credential.setRole('admin');
    expect(credential.isEmailVerified).toBe(true);
  });

  it('records the last change of each part', () => {
    const now = new Date('2026-11-01T12:00:00.000Z');
    const credential = create('user', null);
    expect(credential.loginChanges).toEqual({});
    credential.setPassword('another hash', 'admin', now);
    credential.changeEmail('king@example.com', 'self', now);
    expect(credential.passwordHash).toBe('another hash');
    expect(credential.loginChanges).toEqual({
      password: { at: now.toISOString(), by: 'admin' },
      email: { at: now.toISOString(), by: 'self' },
    });
  });

  it('is invited until there is a password', () => {
    const invited = Credential.create({ ...create('user', null), email: 'ada@example.com', isInvited: true });
    expect([create('user', null).isInvited, invited.isInvited]).toEqual([false, true]);
    invited.setPassword('a hash', 'email_link', new Date());
    expect(invited.isInvited).toBe(false);
  });

  it('is pinned to a version of the API', () => {
    const credential = create('user', null);
    expect(credential.apiVersion).toBeNull();
    credential.pinTo('2026-11-20');
    expect(credential.apiVersion).toBe('2026-11-20');
  });

  it('is linked to an account and unlinked, and disabled and enabled', () => {
    const credential = create('user', null);
    credential.linkTo('acc_1', 'member');
    expect(credential).toMatchObject({ accountId: 'acc_1', membershipRole: 'member' });
    credential.unlink();
    expect(credential).toMatchObject({ accountId: null, membershipRole: null });
    for (const disabled of [true, false]) {
      credential.setDisabled(disabled);
      expect(credential.disabled).toBe(disabled);
    }
  });
});

describe('CredentialListeners', () => {
  it('are told of the changes that they follow, and only whose credential it is', () => {
    const listeners = new CredentialListeners();
    const told: unknown[] = [];
    listeners.register({ name: 'deaf' });
    listeners.register({ name: 'one', deleted: (_, credential, at) => void told.push(credential, at) });
    const now = new Date('2026-11-01T12:00:00Z');
    const changed = { subjectId: 'usr_1', emailKey: 'ada@example.com' };
    listeners.notify('takenOver', {} as WriteTx, changed, now);
    expect(told).toEqual([]);
    const credential = { ...changed, passwordHash: 'a hash' };
    listeners.notify('deleted', {} as WriteTx, credential, now);
    expect(told).toEqual([changed, now]);
  });

  it('are told of each request of a link', () => {
    const listeners = new CredentialListeners();
    const told: unknown[] = [];
    listeners.register({ name: 'deaf' });
    for (const name of ['one', 'other'])
      listeners.register({ name, resetRequested: (_, request, at) => void told.push([name, request, at]) });
    const now = new Date('2026-11-01T12:00:00Z');
    const request = { emailKey: 'ada@example.com', language: 'en' };
    listeners.notifyResetRequested({} as WriteTx, request, now);
    expect(told).toEqual(['one', 'other'].map((name) => [name, request, now]));
  });
});
