import type { StateOf } from '../../kernel/lifecycle';
import { lifecycle } from '../../kernel/lifecycle';

/** A subscription bills its customer until it is canceled, which is final. */
export const subscriptionLifecycle = lifecycle({
  states: ['active', 'canceled'],
  initial: ['active'],
  transitions: {
    cancel: { from: ['active'], to: 'canceled', error: 'not_cancellable' },
  },
});

export type SubscriptionStatus = StateOf<typeof subscriptionLifecycle>;
