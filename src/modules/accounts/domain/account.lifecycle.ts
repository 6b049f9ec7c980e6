import { lifecycle, type StateOf } from '../../../kernel/lifecycle';

const open = ['active', 'suspended', 'pending'] as const;

/** Interface 3.2. Closing is final: the account, its journal and its balance stay on record. */
export const accountLifecycle = lifecycle({
  states: [...open, 'closed'],
  initial: ['active'],
  transitions: {
    activate: { from: open, to: 'active' },
    suspend: { from: open, to: 'suspended' },
    makePending: { from: open, to: 'pending' },
    close: { from: open, to: 'closed' },
  },
});

export type AccountStatus = StateOf<typeof accountLifecycle>;

/** The transition that leads to each status that an admin can set. */
export const transitionTo = { active: 'activate', suspended: 'suspend', pending: 'makePending' } as const;
export const settableStatuses = open;
export type SettableStatus = (typeof open)[number];
