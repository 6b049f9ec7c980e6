import {
  unappliedPaymentLifecycle,
  UnappliedPaymentStatus,
} from '../../../../src/modules/payment-requests/unapplied-payments/unapplied-payment';

/** For every status and transition: the resulting status, or the error. */
const table: Record<
  UnappliedPaymentStatus,
  Record<keyof typeof unappliedPaymentLifecycle.transitions, string>
> = {
  received: { markReturned: 'returned', needAttention: 'needs_attention', retry: 'error: conflict' },
  returned: { markReturned: 'error: conflict', needAttention: 'needs_attention', retry: 'error: conflict' },
  needs_attention: { markReturned: 'returned', needAttention: 'error: conflict', retry: 'received' },
};

describe('The lifecycle of an unapplied payment', () => {
  it('has exactly these statuses and transitions', () => {
    expect(unappliedPaymentLifecycle.states.toSorted()).toEqual(Object.keys(table).toSorted());
    expect(unappliedPaymentLifecycle.initial).toEqual(['received']);
    for (const transitions of Object.values(table))
      expect(Object.keys(transitions)).toEqual(Object.keys(unappliedPaymentLifecycle.transitions));
  });

  const cells = Object.entries(table).flatMap(([state, transitions]) =>
    Object.entries(transitions).map(([name, outcome]) => [state, name, outcome] as const),
  );

  it.each(cells)('%s: %s results in %s', (state, name, outcome) => {
    const apply = (): string => {
      try {
        return unappliedPaymentLifecycle.transition(name as 'markReturned', state as UnappliedPaymentStatus);
      } catch (error) {
        return `error: ${(error as { code: string }).code}`;
      }
    };
    expect(apply()).toBe(outcome);
  });
});
