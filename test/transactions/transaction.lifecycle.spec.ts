import {
  transactionLifecycle,
  TransactionStatus,
} from '../../src/modules/transactions/domain/transaction.lifecycle';

/** Interface 3.3, every state and every move: where it leads, or how it is refused. */
const table: Record<TransactionStatus, Record<keyof typeof transactionLifecycle.moves, string>> = {
  pending: { settle: 'succeeded', fail: 'failed', cancel: 'canceled' },
  succeeded: { settle: 'refused: conflict', fail: 'refused: conflict', cancel: 'refused: not_cancellable' },
  failed: { settle: 'refused: conflict', fail: 'refused: conflict', cancel: 'refused: not_cancellable' },
  canceled: { settle: 'refused: conflict', fail: 'refused: conflict', cancel: 'refused: not_cancellable' },
};

describe('The lifecycle of a transaction (interface 3.3)', () => {
  it('has these states, births and moves, and no others', () => {
    expect(transactionLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(transactionLifecycle.births).toEqual(['pending', 'succeeded', 'failed']);
    for (const moves of Object.values(table))
      expect(Object.keys(moves)).toEqual(Object.keys(transactionLifecycle.moves));
  });

  const cells = Object.entries(table).flatMap(([state, moves]) =>
    Object.entries(moves).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const move = (): string => {
      try {
        return transactionLifecycle.move(name as 'settle', state as TransactionStatus);
      } catch (error) {
        return `refused: ${(error as { code: string }).code}`;
      }
    };
    expect(move()).toBe(outcome);
  });
});
