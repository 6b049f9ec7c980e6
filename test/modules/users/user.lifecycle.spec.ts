import { transitionTo, userLifecycle } from '../../../src/modules/users/user';

const states = ['active', 'suspended', 'pending'] as const;

describe('userLifecycle (interface 3.1)', () => {
  it('has three states, and each can be the initial one', () => {
    expect(userLifecycle.states).toEqual(states);
    expect(userLifecycle.initial).toEqual(states);
  });

  it('has one transition to each state', () => {
    const targets = Object.values(userLifecycle.transitions).map(({ to }) => to);
    expect(targets).toEqual(states);
    expect(states.map((state) => userLifecycle.transitions[transitionTo[state]].to)).toEqual(states);
  });

  it.each(states.flatMap((from) => states.map((to) => [from, to] as const)))(
    'allows %s to become %s',
    (from, to) => {
      expect(userLifecycle.transition(transitionTo[to], from)).toBe(to);
    },
  );

  it('rejects a transition from an unknown state', () => {
    expect(() => userLifecycle.transition('activate', 'closed' as never)).toThrow(
      expect.objectContaining({ code: 'conflict' }),
    );
  });
});
