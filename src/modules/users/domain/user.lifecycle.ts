import { lifecycle, StateOf } from '../../../kernel/lifecycle';

const states = ['active', 'suspended', 'pending'] as const;

/** Interface 3.1: any state can be set from any other. Only an active user signs in. */
export const userLifecycle = lifecycle({
  states,
  births: states,
  moves: {
    activate: { from: states, to: 'active' },
    suspend: { from: states, to: 'suspended' },
    hold: { from: states, to: 'pending' },
  },
});

export type UserStatus = StateOf<typeof userLifecycle>;

/** The move that leads to a status. */
export const moveTo = { active: 'activate', suspended: 'suspend', pending: 'hold' } as const;
