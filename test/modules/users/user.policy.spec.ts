import { Principal } from '../../../src/modules/auth';
import { User } from '../../../src/modules/users/domain/user';
import { mayDelete, maySee, mayUpdate } from '../../../src/modules/users/domain/user.policy';

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
