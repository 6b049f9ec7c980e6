import type { StateOf } from '../../../kernel/lifecycle';
import { lifecycle } from '../../../kernel/lifecycle';

/** An adjustment is posted when it is created, or waits for a second admin. Once it is posted it stays so. */
export const adjustmentLifecycle = lifecycle({
  states: ['pending', 'posted', 'rejected', 'expired'],
  initial: ['pending', 'posted'],
  transitions: {
    post: { from: ['pending'], to: 'posted' },
    reject: { from: ['pending'], to: 'rejected' },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type AdjustmentStatus = StateOf<typeof adjustmentLifecycle>;
export type AdjustmentTransition = keyof typeof adjustmentLifecycle.transitions;
