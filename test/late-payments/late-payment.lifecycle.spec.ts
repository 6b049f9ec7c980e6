import {
  latePaymentLifecycle,
  LatePaymentStatus,
} from '../../src/modules/late-payments/domain/late-payment.lifecycle';

/** Every state and every move: where it leads, or how it is refused. */
const table: Record<LatePaymentStatus, Record<keyof typeof latePaymentLifecycle.moves, string>> = {
  received: { return: 'returned', getStuck: 'stuck', retry: 'refused: conflict' },
  returned: { return: 'refused: conflict', getStuck: 'stuck', retry: 'refused: conflict' },
  stuck: { return: 'returned', getStuck: 'refused: conflict', retry: 'received' },
};

describe('The lifecycle of a late payment', () => {
  it('has these states, births and moves, and no others', () => {
    expect(latePaymentLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(latePaymentLifecycle.births).toEqual(['received']);
    for (const moves of Object.values(table))
      expect(Object.keys(moves)).toEqual(Object.keys(latePaymentLifecycle.moves));
  });

  const cells = Object.entries(table).flatMap(([state, moves]) =>
    Object.entries(moves).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const move = (): string => {
      try {
        return latePaymentLifecycle.move(name as 'return', state as LatePaymentStatus);
      } catch (error) {
        return `refused: ${(error as { code: string }).code}`;
      }
    };
    expect(move()).toBe(outcome);
  });
});
