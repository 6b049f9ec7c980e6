import { lifecycle } from '../../src/kernel/lifecycle';

const door = lifecycle({
  states: ['open', 'shut', 'locked'],
  births: ['open'],
  moves: {
    shut: { from: ['open'], to: 'shut' },
    lock: { from: ['shut'], to: 'locked', refusal: 'not_cancellable' },
  },
});

describe('A lifecycle', () => {
  it('leads from state to state', () => {
    expect(door.move('shut', 'open')).toBe('shut');
    expect(door.move('lock', 'shut')).toBe('locked');
  });

  it('refuses a move from elsewhere with the code of the move, else with conflict', () => {
    expect(() => door.move('lock', 'open')).toThrow(expect.objectContaining({ code: 'not_cancellable' }));
    expect(() => door.move('shut', 'locked')).toThrow(expect.objectContaining({ code: 'conflict' }));
    expect(() => door.move('shut', 'locked')).toThrow('This needs the status open; it is locked.');
  });

  it('tells the database its states', () => {
    expect(door.sqlCheck('state')).toBe("state IN ('open', 'shut', 'locked')");
  });

  it('does not load with a state that it does not know, or that nothing leads to', () => {
    expect(() =>
      lifecycle({ states: ['a'], births: ['a'], moves: { go: { from: ['a'], to: 'b' as 'a' } } }),
    ).toThrow(/unknown state "b"/);
    expect(() =>
      lifecycle({ states: ['a'], births: ['a'], moves: { go: { from: ['b' as 'a'], to: 'a' } } }),
    ).toThrow(/unknown state "b"/);
    expect(() => lifecycle({ states: ['a'], births: ['b' as 'a'], moves: {} })).toThrow(/unknown state "b"/);
    expect(() => lifecycle({ states: ['a', 'b'], births: ['a'], moves: {} })).toThrow(
      /Nothing leads to the state "b"/,
    );
  });
});
