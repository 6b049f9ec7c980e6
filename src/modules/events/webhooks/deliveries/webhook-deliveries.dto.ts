import {
  CursorListQuery,
  CursorPageQuery,
  DateParam,
  FormatParam,
  ListFormat,
} from '../../../../platform/http/list-query';
import { EnumField, IdField, TimestampField } from '../../../../platform/http/request-fields';
import {
  countSchema,
  CursorListResponse,
  IdResponseField,
  nameEnum,
  ResponseField,
  Timestamp,
} from '../../../../platform/http/response-fields';
import { attemptResponse, AttemptResponse } from '../webhooks.dto';
import { WebhookDelivery, webhookDeliveryLifecycle, WebhookDeliveryStatus } from './webhook-delivery';

nameEnum('WebhookDeliveryStatus', webhookDeliveryLifecycle.states);

export class ListDeliveriesQuery extends CursorListQuery('whd', 'deliveries', {
  status: webhookDeliveryLifecycle.states,
}) {
  @FormatParam() format?: ListFormat;
}

const SinceField = () => TimestampField('Only deliveries that were created at this time or later.');

export class ListAllDeliveriesQuery extends CursorPageQuery('whd', 'deliveries') {
  @EnumField(webhookDeliveryLifecycle.states, {
    optional: true,
    description: 'Only deliveries with this status.',
  })
  status?: WebhookDeliveryStatus;

  @DateParam('first', 'Only deliveries created at this time or later.') date_from?: Date;
  @DateParam('last', 'Only deliveries created at this time or earlier.') date_to?: Date;
  @FormatParam() format?: ListFormat;
}

export class RedeliverAllRequest {
  @IdField('whk', {
    optional: true,
    inExample: false,
    description: 'Only deliveries to this webhook endpoint.',
  })
  webhook_id?: string;

  @SinceField() since?: string;
  @TimestampField('Only deliveries that were created at this time or earlier.') until?: string;

  @IdField('whd', { optional: true, description: 'The `last_id` of the batch before.' })
  starting_after?: string;
}

export class RedeliverFailedRequest {
  @SinceField() since?: string;
}

export class WebhookDeliveryResponse extends AttemptResponse {
  @IdResponseField('whd') id: string;
  @IdResponseField('acc') account_id: string;
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

export class RedeliveredBatchResponse {
  @ResponseField({ ...countSchema, example: 97, description: 'How many deliveries are pending again.' })
  count: number;

  @ResponseField({
    ...countSchema,
    example: 3,
    description: 'How many of the batch stay failed, since their endpoint is disabled.',
  })
  skipped: number;

  @IdResponseField('whd', {
    nullable: true,
    description: 'Send it as `starting_after` for the next batch; null when nothing is left.',
  })
  last_id: string | null;
}

export function webhookDeliveryResponse(delivery: Readonly<WebhookDelivery>): WebhookDeliveryResponse {
  return {
    id: delivery.id,
    account_id: delivery.accountId,
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
