import { Principal } from '../../../src/modules/auth';
import { User } from '../../../src/modules/users/user';
import {
  assertMayUpdate,
  assertVisible,
  listedFilter,
  mayDelete,
  maySee,
  mayUpdate,
  visibleUsers,
} from '../../../src/modules/users/user.policy';

const ACCOUNT = 'acc_1';
const now = new Date('2026-03-01T12:00:00.000Z');

const member = User.create(
  { email: 'm@example.com', name: null, status: 'active', role: 'user', accountId: ACCOUNT },
  now,
);
const unlinked = User.create(
  { email: 'u@example.com', name: null, status: 'active', role: 'user', accountId: null },
  now,
);

/** The rights of each caller on a member of ACCOUNT and on a user without an account. */
const rights: [description: string, caller: Principal, onMember: string, onUnlinked: string][] = [
  [
    'the member itself',
    signedIn({ userId: member.id, accountId: ACCOUNT, membershipRole: 'member' }),
    'see update delete',
    '',
  ],
  ['the unlinked user itself', signedIn({ userId: unlinked.id }), '', 'see update delete'],
  [
    'another member of the account',
    signedIn({ userId: 'usr_2', accountId: ACCOUNT, membershipRole: 'member' }),
    '',
    '',
  ],
  [
    'a user who owns the account',
    signedIn({ userId: 'usr_3', accountId: ACCOUNT, membershipRole: 'owner' }),
    'see delete',
    '',
  ],
  [
    'the account itself',
    signedIn({ openedAccountId: ACCOUNT, accountId: ACCOUNT, membershipRole: 'owner' }),
    'see delete',
    '',
  ],
  [
    'the owner of another account',
    signedIn({ userId: 'usr_4', accountId: 'acc_other', membershipRole: 'owner' }),
    '',
    '',
  ],
  ['a user without an account', signedIn({ userId: 'usr_5' }), '', ''],
  ['an owner without an account', signedIn({ userId: 'usr_5', membershipRole: 'owner' }), '', ''],
  ['a platform system', signedIn({ userId: 'usr_6', role: 'platform' }), 'see', 'see'],
  ['an admin', signedIn({ userId: 'usr_7', role: 'admin' }), 'see update delete', 'see update delete'],
];

describe('User policy', () => {
  it.each(rights)('%s', (_, caller, onMember, onUnlinked) => {
    expect(rightsOf(caller, member)).toBe(onMember);
    expect(rightsOf(caller, unlinked)).toBe(onUnlinked);
  });
});

function rightsOf(caller: Principal, user: User): string {
  const may = { see: maySee(caller, user), update: mayUpdate(caller, user), delete: mayDelete(caller, user) };
  return Object.entries(may)
    .filter(([, allowed]) => allowed)
    .map(([right]) => right)
    .join(' ');
}

function signedIn(as: Partial<Principal>): Principal {
  return {
    sessionId: 'ses_1',
    scopes: null,
    pinnedVersion: null,
    authenticatedAt: new Date(0),
    userId: null,
    openedAccountId: null,
    accountId: null,
    membershipRole: null,
    role: 'user',
    device: { ip: '203.0.113.7', userAgent: null, requestId: 'req_1' },
    secondFactor: false,
    subjectId: as.userId ?? as.openedAccountId ?? '',
    ...as,
  };
}

describe('A user whom the caller may not see', () => {
  it('is not found, as if there were none', () => {
    const [self, other] = [signedIn({ userId: member.id }), signedIn({ userId: 'usr_9' })];
    expect(assertVisible(self, member)).toBe(member);
    for (const [caller, user] of [
      [other, member],
      [self, null],
    ] as const)
      expect(() => assertVisible(caller, user)).toThrow(expect.objectContaining({ code: 'not_found' }));
  });
});

describe('The users that a caller may list', () => {
  const owner = signedIn({ userId: 'usr_3', accountId: ACCOUNT, membershipRole: 'owner' });

  it.each([
    ['all, for an admin', signedIn({ role: 'admin' }), {}, {}],
    [
      'all, for a platform system',
      signedIn({ role: 'platform' }),
      { accountId: 'acc_2' },
      { accountId: 'acc_2' },
    ],
    ['those of the account, for its owner', owner, {}, { accountId: ACCOUNT }],
    ['the same, if the owner asks for them', owner, { accountId: ACCOUNT }, { accountId: ACCOUNT }],
    ['none of another account', owner, { accountId: 'acc_2' }, null],
  ])('are %s', (_, caller, asked, listed) => expect(listedFilter(caller, asked)).toEqual(listed));

  it.each([
    signedIn({ accountId: ACCOUNT, membershipRole: 'member' }),
    signedIn({ userId: 'usr_5' }),
    signedIn({ userId: 'usr_5', membershipRole: 'owner' }),
  ])("are nobody else's business (case %#)", (caller) => {
    expect(() => listedFilter(caller, {})).toThrow(expect.objectContaining({ code: 'forbidden' }));
  });
});

describe('The users among whom a caller searches', () => {
  const account = { accountId: ACCOUNT } as const;

  it.each([
    ['all, for an admin', signedIn({ role: 'admin', userId: 'usr_1' }), {}],
    ['all, for support', signedIn({ role: 'support', userId: 'usr_1' }), {}],
    ['those of the account, for its owner', signedIn({ ...account, membershipRole: 'owner' }), account],
    [
      'one, for a member',
      signedIn({ ...account, userId: 'usr_1', membershipRole: 'member' }),
      { id: 'usr_1' },
    ],
    ['one, for a user without an account', signedIn({ userId: 'usr_1' }), { id: 'usr_1' }],
    [
      'one, for an owner without an account',
      signedIn({ userId: 'usr_1', membershipRole: 'owner' }),
      { id: 'usr_1' },
    ],
    ['none, for what is no user', signedIn({ ...account, membershipRole: 'member' }), null],
  ])('are %s', (_, caller, visible) => {
    expect(visibleUsers(caller)).toEqual(visible);
  });
});

describe('An update of a user', () => {
  const [self, admin] = [signedIn({ userId: member.id }), signedIn({ role: 'admin' })];

  it.each([
    ['the user', self, { name: 'A' }, null],
    ['the user, of the role', self, { role: 'admin' }, 'only admins may set a role.'],
    ['an admin, of the role', admin, { role: 'user' }, null],
    [
      'another user',
      signedIn({ userId: 'usr_9' }),
      { name: 'A' },
      'only the user and admins may update a user.',
    ],
  ] as const)('by %s', (_, caller, change, refusal) => {
    const attempt = () => assertMayUpdate(caller, member, change);
    if (refusal === null) return expect(attempt).not.toThrow();
    expect(attempt).toThrow(expect.objectContaining({ code: 'unauthorized' }));
    expect(attempt).toThrow(refusal);
  });
});
