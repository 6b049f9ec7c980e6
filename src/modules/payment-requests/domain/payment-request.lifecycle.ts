import { lifecycle, StateOf } from '../../../kernel/lifecycle';

/** Interface 3.4. A declined attempt leaves a request pending, the last one allowed ends it; every end is final. */
export const paymentRequestLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed', 'canceled'],
  births: ['pending'],
  moves: {
    pay: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    cancel: { from: ['pending'], to: 'canceled', refusal: 'not_cancellable' },
    expire: { from: ['pending'], to: 'canceled' },
  },
});

export type PaymentRequestStatus = StateOf<typeof paymentRequestLifecycle>;
