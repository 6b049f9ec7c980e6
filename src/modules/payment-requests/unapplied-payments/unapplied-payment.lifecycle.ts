import type { StateOf } from '../../../kernel/lifecycle';
import { lifecycle } from '../../../kernel/lifecycle';

/**
 * Unapplied payments are returned to the customer. They are not posted: a credit could be spent before it goes back, and
 * a closed account takes none. `needs_attention`: the service could not return the payment, or a return that had
 * succeeded failed later, and a person has to resolve it.
 */
export const unappliedPaymentLifecycle = lifecycle({
  states: ['received', 'returned', 'needs_attention'],
  initial: ['received'],
  transitions: {
    markReturned: { from: ['received', 'needs_attention'], to: 'returned' },
    needAttention: { from: ['received', 'returned'], to: 'needs_attention' },
    retry: { from: ['needs_attention'], to: 'received' },
  },
});

export type UnappliedPaymentStatus = StateOf<typeof unappliedPaymentLifecycle>;
