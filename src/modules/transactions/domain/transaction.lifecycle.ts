import { lifecycle, type StateOf } from '../../../kernel/lifecycle';

/** Interface 3.3, row by row. A settled transaction is refunded, never canceled: its money has moved. */
export const transactionLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  initial: ['pending', 'succeeded', 'failed'],
  transitions: {
    settle: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: {
      from: ['pending'],
      to: 'canceled',
      error: 'not_cancellable',
      advice: 'Create a refund to return money that has moved.',
    },
  },
});

export type TransactionStatus = StateOf<typeof transactionLifecycle>;
