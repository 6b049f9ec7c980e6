import { moveTo, userLifecycle } from '../../src/modules/users/domain/user.lifecycle';
import { User } from '../../src/modules/users/domain/user';

const states = ['active', 'suspended', 'pending'] as const;
const noon = new Date('2026-03-01T12:00:00.000Z');
const later = new Date('2026-03-01T12:00:05.000Z');
const earlier = new Date('2026-03-01T11:00:00.000Z');

describe('The status of a user (interface 3.1)', () => {
  it('is one of three, and each may be the first', () => {
    expect(userLifecycle.states).toEqual(states);
    expect(userLifecycle.births).toEqual(states);
  });

  it('has one move to each', () => {
    expect(
      Object.fromEntries(Object.entries(userLifecycle.moves).map(([name, { to }]) => [name, to])),
    ).toEqual({
      activate: 'active',
      suspend: 'suspended',
      hold: 'pending',
    });
    expect(states.map((state) => userLifecycle.moves[moveTo[state]].to)).toEqual(states);
  });

  it.each(states.flatMap((from) => states.map((to) => [from, to] as const)))(
    'may be set from %s to %s',
    (from, to) => {
      const user = aUser(from);
      user.change({ status: to }, later);
      expect(user).toMatchObject({ status: to, updatedAt: later, createdAt: noon });
    },
  );

  it('is not moved from a state that there is not', () => {
    expect(() => userLifecycle.move('activate', 'closed' as never)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });
});

describe('A change of a user', () => {
  it('leaves what it does not name', () => {
    const user = aUser('active');
    user.change({ name: 'Ada King' }, later);
    expect(user).toEqual(Object.assign(aUser('active'), { id: user.id, name: 'Ada King', updatedAt: later }));
  });

  it('removes the name with null', () => {
    const user = aUser('active');
    user.change({ name: null }, later);
    expect(user.name).toBeNull();
  });

  it.each([
    ['stands still', noon],
    ['steps back', earlier],
  ])('moves updated_at on when the clock %s', (_, now) => {
    const user = aUser('active');
    user.change({ name: 'Ada King' }, now);
    user.tieTo('acc_1', now);
    user.touch(now);
    expect(user.updatedAt).toEqual(new Date(noon.getTime() + 3));
  });

  it('is an active admin only with both', () => {
    const admins = states.map((status) => Object.assign(aUser(status), { role: 'admin' as const }));
    expect(admins.map((admin) => admin.isActiveAdmin)).toEqual([true, false, false]);
    expect(aUser('active').isActiveAdmin).toBe(false);
  });
});

function aUser(status: (typeof states)[number]): User {
  return User.create(
    { email: 'ada@example.com', name: 'Ada Lovelace', status, role: 'user', accountId: null },
    noon,
  );
}
