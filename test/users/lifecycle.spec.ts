import { lifecycle } from '../../src/kernel/lifecycle';
import { Refusal } from '../../src/kernel/refusal';

const door = {
  states: ['open', 'shut', 'locked'],
  births: ['open'],
  moves: {
    shut: { from: ['open'], to: 'shut' },
    lock: { from: ['shut'], to: 'locked', refusal: 'not_cancellable' },
  },
} as const;

describe('A lifecycle table', () => {
  it('leads from state to state', () => {
    expect(lifecycle(door).move('shut', 'open')).toBe('shut');
    expect(lifecycle(door).move('lock', 'shut')).toBe('locked');
  });

  it('refuses a move from a state where it does not start, with the code of the move', () => {
    expect(refusalOf(() => lifecycle(door).move('shut', 'locked'))).toBe('conflict');
    expect(refusalOf(() => lifecycle(door).move('lock', 'open'))).toBe('not_cancellable');
  });

  it('is the condition of the SQL column', () => {
    expect(lifecycle(door).sqlCheck('status')).toBe("status IN ('open', 'shut', 'locked')");
  });

  it.each([
    ['a birth in an unknown state', { ...door, births: ['ajar'] }, 'unknown state "ajar"'],
    [
      'a move from an unknown state',
      { ...door, moves: { ...door.moves, slam: { from: ['ajar'], to: 'shut' } } },
      'unknown state "ajar"',
    ],
    [
      'a move to an unknown state',
      { ...door, moves: { ...door.moves, slam: { from: ['open'], to: 'ajar' } } },
      'unknown state "ajar"',
    ],
    [
      'a state that nothing leads to',
      { ...door, states: [...door.states, 'gone'] },
      'leads to the state "gone"',
    ],
    ['no birth at all', { ...door, births: [] }, 'leads to the state "open"'],
    [
      'a state that only leads to itself',
      {
        ...door,
        states: [...door.states, 'gone'],
        moves: { ...door.moves, stay: { from: ['gone'], to: 'gone' } },
      },
      'leads to the state "gone"',
    ],
    [
      'states that only lead to each other',
      {
        ...door,
        states: [...door.states, 'lost', 'found'],
        moves: {
          ...door.moves,
          find: { from: ['lost'], to: 'found' },
          lose: { from: ['found'], to: 'lost' },
        },
      },
      'leads to the state "lost"',
    ],
  ])('with %s stops the start', (_, table, message) => {
    expect(() => lifecycle(table as never)).toThrow(message);
  });
});

function refusalOf(act: () => unknown): string | null {
  try {
    act();
    return null;
  } catch (error) {
    if (error instanceof Refusal) return error.code;
    throw error;
  }
}
