import {
  paymentRequestLifecycle,
  PaymentRequestStatus,
} from '../../../src/modules/payment-requests/domain/payment-request';

/** Interface 3.4: for every state and transition, the next state or the error. */
const table: Record<
  PaymentRequestStatus,
  Record<keyof typeof paymentRequestLifecycle.transitions, string>
> = {
  pending: { pay: 'succeeded', fail: 'failed', cancel: 'canceled', expire: 'canceled' },
  succeeded: {
    pay: 'error: conflict',
    fail: 'error: conflict',
    cancel: 'error: not_cancellable',
    expire: 'error: conflict',
  },
  failed: {
    pay: 'error: conflict',
    fail: 'error: conflict',
    cancel: 'error: not_cancellable',
    expire: 'error: conflict',
  },
  canceled: {
    pay: 'error: conflict',
    fail: 'error: conflict',
    cancel: 'error: not_cancellable',
    expire: 'error: conflict',
  },
};

describe('The lifecycle of a payment request (interface 3.4)', () => {
  it('has exactly these states, initial states and transitions', () => {
    expect(paymentRequestLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(paymentRequestLifecycle.initial).toEqual(['pending']);
    for (const transitions of Object.values(table))
      expect(Object.keys(transitions)).toEqual(Object.keys(paymentRequestLifecycle.transitions));
  });

  const cells = Object.entries(table).flatMap(([state, transitions]) =>
    Object.entries(transitions).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s, %s: %s', (state, name, outcome) => {
    const apply = (): string => {
      try {
        return paymentRequestLifecycle.transition(name as 'pay', state as PaymentRequestStatus);
      } catch (error) {
        return `error: ${(error as { code: string }).code}`;
      }
    };
    expect(apply()).toBe(outcome);
  });
});
