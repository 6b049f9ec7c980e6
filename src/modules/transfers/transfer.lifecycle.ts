import type { StateOf } from '../../kernel/lifecycle';
import { lifecycle } from '../../kernel/lifecycle';

/** A pending transfer holds the money of the account that gives. One that has succeeded is reversed, never canceled. */
export const transferLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'canceled', 'expired'],
  initial: ['pending', 'succeeded'],
  transitions: {
    capture: { from: ['pending'], to: 'succeeded' },
    cancel: {
      from: ['pending'],
      to: 'canceled',
      error: 'not_cancellable',
      advice: 'Reverse the transfer to return money that has moved.',
    },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type TransferStatus = StateOf<typeof transferLifecycle>;
export type TransferTransition = keyof typeof transferLifecycle.transitions;
