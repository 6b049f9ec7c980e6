import { lifecycle } from '../../src/kernel/lifecycle';

const table = {
  states: ['open', 'shut', 'locked'],
  initial: ['open'],
  transitions: {
    shut: { from: ['open'], to: 'shut' },
    lock: { from: ['shut'], to: 'locked', error: 'not_cancellable' },
    paint: { from: ['open', 'shut'], to: 'open', advice: 'Unlock it first.' },
  },
} as const;

describe('Lifecycle', () => {
  it('returns the target state of a transition', () => {
    expect(lifecycle(table).transition('shut', 'open')).toBe('shut');
    expect(lifecycle(table).transition('lock', 'shut')).toBe('locked');
  });

  it('rejects a transition from another state with its error code, or with conflict', () => {
    const door = lifecycle(table);
    expect(() => door.transition('lock', 'open')).toThrow(
      expect.objectContaining({ name: 'DomainError', code: 'not_cancellable' }),
    );
    expect(() => door.transition('shut', 'locked')).toThrow(
      expect.objectContaining({
        name: 'DomainError',
        code: 'conflict',
        message: 'This operation requires the status open; the current status is locked.',
      }),
    );
  });

  it('names all statuses that a transition requires, and what to do instead', () => {
    expect(() => lifecycle(table).transition('paint', 'locked')).toThrow(
      'This operation requires the status open or shut; the current status is locked. Unlock it first.',
    );
  });

  it('derives a CHECK condition from its states', () => {
    expect(lifecycle(table).sqlCheck('status')).toBe("status IN ('open', 'shut', 'locked')");
  });

  const withTransitions = (transitions: object) => ({
    ...table,
    transitions: { ...table.transitions, ...transitions },
  });

  it.each([
    ['an unknown initial state', { ...table, initial: ['ajar'] }, 'unknown state "ajar"'],
    [
      'a transition from an unknown state',
      withTransitions({ slam: { from: ['ajar'], to: 'shut' } }),
      'unknown state "ajar"',
    ],
    [
      'a transition to an unknown state',
      withTransitions({ slam: { from: ['open'], to: 'ajar' } }),
      'unknown state "ajar"',
    ],
    ['no initial state', { ...table, initial: [] }, 'state "open" of a lifecycle is unreachable'],
    [
      'a state without an incoming transition',
      { ...table, states: [...table.states, 'gone'] },
      'state "gone" of a lifecycle is unreachable',
    ],
    [
      'a state that is only reachable from itself',
      {
        ...withTransitions({ stay: { from: ['gone'], to: 'gone' } }),
        states: [...table.states, 'gone'],
      },
      'state "gone" of a lifecycle is unreachable',
    ],
    [
      'states that are only reachable from each other',
      {
        ...withTransitions({ find: { from: ['lost'], to: 'found' }, lose: { from: ['found'], to: 'lost' } }),
        states: [...table.states, 'lost', 'found'],
      },
      'state "lost" of a lifecycle is unreachable',
    ],
  ])('rejects a table with %s', (_, inconsistent, message) => {
    expect(() => lifecycle(inconsistent as never)).toThrow(message);
  });
});
