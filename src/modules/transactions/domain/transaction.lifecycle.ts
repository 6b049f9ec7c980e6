import { lifecycle, StateOf } from '../../../kernel/lifecycle';

/** Interface 3.3, row by row. A settled transaction is refunded, never canceled: its money has moved. */
export const transactionLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  births: ['pending', 'succeeded', 'failed'],
  moves: {
    settle: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: { from: ['pending'], to: 'canceled', refusal: 'not_cancellable' },
  },
});

export type TransactionStatus = StateOf<typeof transactionLifecycle>;
