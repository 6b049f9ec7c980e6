import {
  transactionLifecycle,
  TransactionStatus,
} from '../../../src/modules/transactions/domain/transaction';

/** Interface 3.3, every state and every move: where it leads, or how it is rejected. */
const table: Record<TransactionStatus, Record<keyof typeof transactionLifecycle.transitions, string>> = {
  pending: { settle: 'succeeded', fail: 'failed', cancel: 'canceled' },
  succeeded: { settle: 'error: conflict', fail: 'error: conflict', cancel: 'error: not_cancellable' },
  failed: { settle: 'error: conflict', fail: 'error: conflict', cancel: 'error: not_cancellable' },
  canceled: { settle: 'error: conflict', fail: 'error: conflict', cancel: 'error: not_cancellable' },
};

describe('The lifecycle of a transaction (interface 3.3)', () => {
  it('has exactly these states, initial states and transitions', () => {
    expect(transactionLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(transactionLifecycle.initial).toEqual(['pending', 'succeeded', 'failed']);
    for (const transitions of Object.values(table))
      expect(Object.keys(transitions)).toEqual(Object.keys(transactionLifecycle.transitions));
  });

  const cells = Object.entries(table).flatMap(([state, transitions]) =>
    Object.entries(transitions).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const apply = (): string => {
      try {
        return transactionLifecycle.transition(name as 'settle', state as TransactionStatus);
      } catch (error) {
        return `error: ${(error as { code: string }).code}`;
      }
    };
    expect(apply()).toBe(outcome);
  });
});
