import { User, userNotFound } from '../../../src/modules/users/user';

const noon = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:00:05.000Z');
const earlier = new Date('2026-03-01T11:00:00.000Z');

function newUser(fields: Partial<Pick<User, 'status' | 'role'>> = {}): User {
  return User.create(
    {
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      status: 'active',
      role: 'user',
      accountId: null,
      ...fields,
    },
    noon,
  );
}

describe('User', () => {
  it('is created with an id and timestamps', () => {
    expect({ ...newUser() }).toEqual({
      id: expect.stringMatching(/^usr_/) as string,
      email: 'ada@example.com',
      name: 'Ada Lovelace',
      status: 'active',
      role: 'user',
      accountId: null,
      eventCount: 0,
      createdAt: noon,
      updatedAt: noon,
    });
  });

  it.each([
    { name: 'Ada King' },
    { name: null },
    { status: 'suspended' as const },
    { role: 'admin' as const },
  ])('changes only the given fields: %j', (change) => {
    const user = newUser();
    const before = { ...user };
    user.change(change, later);
    expect({ ...user }).toEqual({ ...before, ...change, updatedAt: later });
  });

  it('shows the audit log what can be changed', () => {
    expect(newUser().audited()).toEqual({ name: 'Ada Lovelace', status: 'active', role: 'user' });
  });

  it('is linked to an account', () => {
    const user = newUser();
    const before = { ...user };
    user.linkTo('acc_1', later);
    expect({ ...user }).toEqual({ ...before, accountId: 'acc_1', updatedAt: later });
  });

  it.each([
    ['has not advanced', noon],
    ['has stepped back', earlier],
  ])('advances updated_at with every change when the clock %s', (_, now) => {
    const user = newUser();
    user.change({ name: 'Ada King' }, now);
    user.linkTo('acc_1', now);
    expect(user.updatedAt).toEqual(new Date(noon.getTime() + 2));
  });

  it('is an active admin only with the role admin and the status active', () => {
    expect(newUser({ role: 'admin' }).isActiveAdmin).toBe(true);
    expect(newUser({ role: 'admin', status: 'suspended' }).isActiveAdmin).toBe(false);
    expect(newUser({ role: 'admin', status: 'pending' }).isActiveAdmin).toBe(false);
    expect(newUser({ role: 'platform' }).isActiveAdmin).toBe(false);
    expect(newUser().isActiveAdmin).toBe(false);
  });
});

describe('The events of a user', () => {
  it('say that it was created, changed and deleted, and only operators see them', () => {
    const user = newUser();
    user.changeEmail('king@example.com', later);
    user.linkTo('acc_1', later);
    user.unlink(later);
    user.change({}, later);
    user.delete();
    expect(user).toMatchObject({ email: 'king@example.com', accountId: null });
    expect(user.takeEvents()).toEqual(
      ['created', 'updated', 'updated', 'updated', 'updated', 'deleted'].map((name) => ({
        type: `user.${name}`,
        accountId: null,
      })),
    );
  });
});

describe('A user who is linked to an account', () => {
  it('must have the role user', () => {
    const user = newUser();
    user.linkTo('acc_1', later);
    user.change({ role: 'user' }, later);
    for (const role of ['admin', 'platform'] as const)
      expect(() => user.change({ role }, later)).toThrow(
        expect.objectContaining({ code: 'invalid_request' }),
      );
    expect(user.role).toBe('user');
    expect(userNotFound()).toMatchObject({ code: 'not_found' });
  });
});
