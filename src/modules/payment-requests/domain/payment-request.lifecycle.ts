import { lifecycle, type StateOf } from '../../../kernel/lifecycle';

/** Interface 3.4. A declined attempt leaves a request pending until the last allowed one; every other state is final. */
export const paymentRequestLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  initial: ['pending'],
  transitions: {
    pay: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: { from: ['pending'], to: 'canceled', error: 'not_cancellable' },
    expire: { from: ['pending'], to: 'canceled' },
  },
});

export type PaymentRequestStatus = StateOf<typeof paymentRequestLifecycle>;
