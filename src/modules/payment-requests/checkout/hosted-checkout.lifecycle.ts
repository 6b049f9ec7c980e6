import type { StateOf } from '../../../kernel/lifecycle';
import { lifecycle } from '../../../kernel/lifecycle';

/** `processing`: the customer has paid, and the money has not arrived yet. */
export const hostedCheckoutLifecycle = lifecycle({
  states: ['open', 'processing', 'ended'],
  initial: ['open'],
  transitions: {
    process: { from: ['open', 'processing'], to: 'processing' },
    end: { from: ['open', 'processing'], to: 'ended' },
    /** The next attempt to pay. */
    reopen: { from: ['open', 'ended'], to: 'open' },
  },
});

export type HostedCheckoutStatus = StateOf<typeof hostedCheckoutLifecycle>;
