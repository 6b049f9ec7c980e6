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
import { WebhookDelivery } from '../domain/webhook-delivery';
import { webhookDeliveryLifecycle, WebhookDeliveryStatus } from '../domain/webhook-delivery.lifecycle';
import { AttemptResult, DeliveryError, deliveryErrors } from '../domain/webhook-sender';

nameEnum('WebhookDeliveryStatus', webhookDeliveryLifecycle.states);

export class ListDeliveriesQuery extends CursorListQuery('whd', 'deliveries', {
  status: webhookDeliveryLifecycle.states,
}) {
  @FormatParam() format?: ListFormat;
}

export class RedeliverFailedRequest {
  @TimestampField('Only deliveries that were created at this time or later.') since?: string;
}

class AttemptResponse {
  @ResponseField({
    nullable: true,
    example: 'timeout',
    description: `What went wrong in the last attempt; null if nothing did. One of ${deliveryErrors.join(', ')}; more may be added.`,
  })
  error: DeliveryError | null;

  @ResponseField({
    ...countSchema,
    nullable: true,
    example: 200,
    description: 'The status of the last response; null without a response.',
  })
  response_status: number | null;

  @ResponseField({
    nullable: true,
    example: 'OK',
    description: 'The first characters of the last response, at most 1,000; null without a response.',
  })
  response_body: string | null;

  @ResponseField({
    ...countSchema,
    nullable: true,
    example: 84,
    description: 'The duration of the last attempt.',
  })
  duration_ms: number | null;
}

export class WebhookTestResponse extends AttemptResponse {
  @ResponseField({ type: 'boolean', example: true, description: 'Whether the endpoint responded with 2xx.' })
  delivered: boolean;
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

  @ResponseField({ format: 'date-time', nullable: true, example: '2026-01-31T09:30:00.000Z' })
  last_attempt_at: string | null;

  @ResponseField({
    format: 'date-time',
    nullable: true,
    example: '2026-01-31T09:30:00.000Z',
    description:
      'When the next attempt is due; null unless the delivery is pending. While the endpoint is failing, it may be later.',
  })
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

function attemptResponse({
  error,
  responseStatus,
  responseBody,
  durationMs,
}: Pick<WebhookDelivery, keyof AttemptResult>): AttemptResponse {
  return {
    error,
    response_status: responseStatus,
    response_body: responseBody,
    duration_ms: durationMs,
  };
}

export function webhookTestResponse(result: AttemptResult): WebhookTestResponse {
  return { delivered: result.error === null, ...attemptResponse(result) };
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
