import { lifecycle, StateOf } from '../../../kernel/lifecycle';

/** An adjustment is posted when it is created, and stays so. */
export const adjustmentLifecycle = lifecycle({
  states: ['posted'],
  initial: ['posted'],
  transitions: {},
});

export type AdjustmentStatus = StateOf<typeof adjustmentLifecycle>;
