import { CursorListQuery, FormatParam, ListFormat } from '../../../../platform/http/list-query';
import { TimestampField } from '../../../../platform/http/request-fields';
import {
  CursorListResponse,
  countSchema,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../../platform/http/response-fields';
import { WebhookDelivery } from './webhook-delivery';
import { webhookDeliveryLifecycle, WebhookDeliveryStatus } from './webhook-delivery.lifecycle';
import { AttemptResponse, attemptResponse } from '../webhooks.dto';

nameEnum('WebhookDeliveryStatus', webhookDeliveryLifecycle.states);

export class ListDeliveriesQuery extends CursorListQuery('whd', 'deliveries', {
  status: webhookDeliveryLifecycle.states,
}) {
  @FormatParam() format?: ListFormat;
}

export class RedeliverFailedRequest {
  @TimestampField('Only deliveries that were created at this time or later.') since?: string;
}

export class WebhookDeliveryResponse extends AttemptResponse {
  @IdResponseField('whd') id: string;
  @IdResponseField('whk') webhook_id: string;
  @IdResponseField('evt') event_id: string;
  @ResponseField({ example: 'transaction.succeeded' }) event_type: string;
  @ResponseField({ enum: webhookDeliveryLifecycle.states }) status: WebhookDeliveryStatus;

  @ResponseField({
    ...countSchema,
    example: 1,
    description: 'How often it was attempted, or since the last redelivery. At most ten times.',
  })
  attempts: number;

  @Timestamp(undefined, { nullable: true }) last_attempt_at: string | null;

  @Timestamp(
    'When the next attempt is due; null unless the delivery is pending. While the endpoint is failing, it may be later.',
    { nullable: true },
  )
  next_attempt_at: string | null;

  @Timestamp() created_at: string;
}

export class WebhookDeliveriesResponse extends CursorListResponse(WebhookDeliveryResponse) {}

export class RedeliveredResponse {
  @ResponseField({ ...countSchema, example: 12, description: 'How many deliveries are pending again.' })
  count: number;

  @ResponseField({
    type: 'boolean',
    example: false,
    description: 'Whether more are left: repeat the request.',
  })
  has_more: boolean;
}

export function webhookDeliveryResponse(delivery: Readonly<WebhookDelivery>): WebhookDeliveryResponse {
  return {
    id: delivery.id,
    webhook_id: delivery.endpointId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status: delivery.status,
    attempts: delivery.attempts,
    ...attemptResponse(delivery),
    last_attempt_at: delivery.lastAttemptAt?.toISOString() ?? null,
    next_attempt_at: delivery.nextAttemptAt?.toISOString() ?? null,
    created_at: delivery.createdAt.toISOString(),
  };
}
