import {
  paymentRequestLifecycle,
  PaymentRequestStatus,
} from '../../src/modules/payment-requests/domain/payment-request.lifecycle';

/** Interface 3.4, every state and every move: where it leads, or how it is refused. */
const table: Record<PaymentRequestStatus, Record<keyof typeof paymentRequestLifecycle.moves, string>> = {
  pending: { pay: 'succeeded', fail: 'failed', cancel: 'canceled', expire: 'canceled' },
  succeeded: {
    pay: 'refused: conflict',
    fail: 'refused: conflict',
    cancel: 'refused: not_cancellable',
    expire: 'refused: conflict',
  },
  failed: {
    pay: 'refused: conflict',
    fail: 'refused: conflict',
    cancel: 'refused: not_cancellable',
    expire: 'refused: conflict',
  },
  canceled: {
    pay: 'refused: conflict',
    fail: 'refused: conflict',
    cancel: 'refused: not_cancellable',
    expire: 'refused: conflict',
  },
};

describe('The lifecycle of a payment request (interface 3.4)', () => {
  it('has these states, births and moves, and no others', () => {
    expect(paymentRequestLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(paymentRequestLifecycle.births).toEqual(['pending']);
    for (const moves of Object.values(table))
      expect(Object.keys(moves)).toEqual(Object.keys(paymentRequestLifecycle.moves));
  });

  const cells = Object.entries(table).flatMap(([state, moves]) =>
    Object.entries(moves).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const move = (): string => {
      try {
        return paymentRequestLifecycle.move(name as 'pay', state as PaymentRequestStatus);
      } catch (error) {
        return `refused: ${(error as { code: string }).code}`;
      }
    };
    expect(move()).toBe(outcome);
  });
});
