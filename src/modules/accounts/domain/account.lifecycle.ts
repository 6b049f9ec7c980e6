import { lifecycle, StateOf } from '../../../kernel/lifecycle';

const open = ['active', 'suspended', 'pending'] as const;

/** Interface 3.2. Closing is final: the account, its journal and its balance stay on record. */
export const accountLifecycle = lifecycle({
  states: [...open, 'closed'],
  births: ['active'],
  moves: {
    activate: { from: open, to: 'active' },
    suspend: { from: open, to: 'suspended' },
    hold: { from: open, to: 'pending' },
    close: { from: open, to: 'closed' },
  },
});

export type AccountStatus = StateOf<typeof accountLifecycle>;

/** The statuses that the back office sets, with the move that leads to each. */
export const moveTo = { active: 'activate', suspended: 'suspend', pending: 'hold' } as const;
export const settableStatuses = open;
export type SettableStatus = (typeof open)[number];
