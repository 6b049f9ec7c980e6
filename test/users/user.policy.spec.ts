import { Principal } from '../../src/modules/auth';
import { User } from '../../src/modules/users/domain/user';
import { mayDelete, maySee, mayUpdate } from '../../src/modules/users/domain/user.policy';

const ACCOUNT = 'acc_hers';
const now = new Date('2026-03-01T12:00:00.000Z');

/** A member of ACCOUNT, and someone tied to nothing. */
const member = User.create(
  { email: 'm@example.com', name: null, status: 'active', role: 'user', accountId: ACCOUNT },
  now,
);
const untied = User.create(
  { email: 'u@example.com', name: null, status: 'active', role: 'user', accountId: null },
  now,
);

/** Who asks, and whether it may see, update and delete the member and the untied user. */
const rights: [who: string, caller: Principal, ofMember: string, ofUntied: string][] = [
  [
    'the member itself',
    signedIn({ userId: member.id, accountId: ACCOUNT, standing: 'member' }),
    'see update delete',
    '',
  ],
  ['the untied user itself', signedIn({ userId: untied.id }), '', 'see update delete'],
  [
    'another member of the account',
    signedIn({ userId: 'usr_2', accountId: ACCOUNT, standing: 'member' }),
    '',
    '',
  ],
  [
    'a user who owns the account',
    signedIn({ userId: 'usr_3', accountId: ACCOUNT, standing: 'owner' }),
    'see delete',
    '',
  ],
  [
    'the account itself',
    signedIn({ openedAccountId: ACCOUNT, accountId: ACCOUNT, standing: 'owner' }),
    'see delete',
    '',
  ],
  [
    'the owner of another account',
    signedIn({ userId: 'usr_4', accountId: 'acc_other', standing: 'owner' }),
    '',
    '',
  ],
  ['a user without an account', signedIn({ userId: 'usr_5' }), '', ''],
  ['a platform system', signedIn({ userId: 'usr_6', role: 'platform' }), 'see', 'see'],
  ['an admin', signedIn({ userId: 'usr_7', role: 'admin' }), 'see update delete', 'see update delete'],
];

describe('What one may do to a user', () => {
  it.each(rights)('%s', (_, caller, ofMember, ofUntied) => {
    expect(rightsOf(caller, member)).toBe(ofMember);
    expect(rightsOf(caller, untied)).toBe(ofUntied);
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
    userId: null,
    openedAccountId: null,
    accountId: null,
    standing: null,
    role: 'user',
    subjectId: as.userId ?? as.openedAccountId ?? '',
    ...as,
  };
}
