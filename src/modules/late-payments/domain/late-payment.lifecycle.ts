import { lifecycle, StateOf } from '../../../kernel/lifecycle';

/**
 * Money that came too late goes back. `stuck`: the service could not send it back, or it came back from where it was
 * sent, and a person has to see to it.
 */
export const latePaymentLifecycle = lifecycle({
  states: ['received', 'returned', 'stuck'],
  births: ['received'],
  moves: {
    return: { from: ['received', 'stuck'], to: 'returned' },
    getStuck: { from: ['received', 'returned'], to: 'stuck' },
    retry: { from: ['stuck'], to: 'received' },
  },
});

export type LatePaymentStatus = StateOf<typeof latePaymentLifecycle>;
