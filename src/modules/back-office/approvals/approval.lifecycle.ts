import type { StateOf } from '../../../kernel/lifecycle';
import { lifecycle } from '../../../kernel/lifecycle';

/** An approval is decided once, and its effect takes place in the database transaction of `approve`. */
export const approvalLifecycle = lifecycle({
  states: ['pending', 'approved', 'rejected', 'expired'],
  initial: ['pending'],
  transitions: {
    approve: { from: ['pending'], to: 'approved' },
    reject: { from: ['pending'], to: 'rejected' },
    expire: { from: ['pending'], to: 'expired' },
  },
});

export type ApprovalStatus = StateOf<typeof approvalLifecycle>;
