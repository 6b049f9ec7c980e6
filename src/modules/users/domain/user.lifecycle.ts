import type { StateOf } from '../../../kernel/lifecycle';
import { lifecycle } from '../../../kernel/lifecycle';

const states = ['active', 'suspended', 'pending'] as const;

/** Interface 3.1: every state can be set from every state. Only active users can log in. */
export const userLifecycle = lifecycle({
  states,
  initial: states,
  transitions: {
    activate: { from: states, to: 'active' },
    suspend: { from: states, to: 'suspended' },
    makePending: { from: states, to: 'pending' },
  },
});

export type UserStatus = StateOf<typeof userLifecycle>;

/** The transition that leads to each status. */
export const transitionTo = { active: 'activate', suspended: 'suspend', pending: 'makePending' } as const;
