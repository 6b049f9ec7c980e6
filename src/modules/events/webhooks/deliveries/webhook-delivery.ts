import type { FieldsOf } from '../../../../kernel/entity';
import { newId } from '../../../../kernel/ids';
import { lifecycle, type StateOf } from '../../../../kernel/lifecycle';
import { nextAttemptAt } from '../delivery-pace';
import type { WebhookEndpoint } from '../webhook-endpoint';
import type { AttemptResult, DeliveryError } from '../webhook-sender';

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

/** The delivery of one event to one endpoint, with the result of its last attempt. */
export class WebhookDelivery {
  readonly accountId: string;
  readonly id: string;
  readonly endpointId: string;
  readonly eventId: string;
  readonly eventType: string;
  status: WebhookDeliveryStatus;
  /** Since the creation, or since the last redelivery. */
  attempts: number;
  /** When the next attempt is due; null unless the delivery is pending. */
  nextAttemptAt: Date | null;
  lastAttemptAt: Date | null;
  error: DeliveryError | null;
  responseStatus: number | null;
  responseBody: string | null;
  durationMs: number | null;
  readonly createdAt: Date;

  private constructor(fields: FieldsOf<WebhookDelivery>) {
    Object.assign(this, fields);
  }

  static create(
    { accountId, id: endpointId }: WebhookEndpoint,
    event: { readonly id: string; readonly type: string },
    now: Date,
  ): WebhookDelivery {
    return new WebhookDelivery({
      accountId,
      id: newId('whd', now, accountId),
      endpointId,
      eventId: event.id,
      eventType: event.type,
      status: 'pending',
      attempts: 0,
      nextAttemptAt: now,
      lastAttemptAt: null,
      error: null,
      responseStatus: null,
      responseBody: null,
      durationMs: null,
      createdAt: now,
    });
  }

  /** Records the result of an attempt, and when the next one is due. */
  record(result: AttemptResult, now: Date): void {
    this.attempts += 1;
    this.lastAttemptAt = now;
    this.error = result.error;
    this.responseStatus = result.responseStatus;
    this.responseBody = result.responseBody;
    this.durationMs = result.durationMs;
    this.nextAttemptAt = result.error === null ? null : nextAttemptAt(this.attempts, now);
    if (this.nextAttemptAt !== null) return;
    this.status = webhookDeliveryLifecycle.transition(
      result.error === null ? 'succeed' : 'fail',
      this.status,
    );
  }

  /** Makes it due at once, with all attempts before it. */
  redeliver(now: Date): void {
    this.status = webhookDeliveryLifecycle.transition('redeliver', this.status);
    this.attempts = 0;
    this.nextAttemptAt = now;
  }
}
