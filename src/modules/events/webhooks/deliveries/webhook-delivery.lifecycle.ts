import type { StateOf } from '../../../../kernel/lifecycle';
import { lifecycle } from '../../../../kernel/lifecycle';

/** A delivery is attempted until it succeeds, or until its last attempt fails. A redelivery starts over. */
export const webhookDeliveryLifecycle = lifecycle({
  states: ['pending', 'succeeded', 'failed'],
  initial: ['pending'],
  transitions: {
    succeed: { from: ['pending'], to: 'succeeded' },
    fail: { from: ['pending'], to: 'failed' },
    redeliver: { from: ['pending', 'succeeded', 'failed'], to: 'pending' },
  },
});

export type WebhookDeliveryStatus = StateOf<typeof webhookDeliveryLifecycle>;
