import { EntitySchema } from 'typeorm';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { WebhookDelivery } from '../domain/webhook-delivery';
import { webhookDeliveryLifecycle } from '../domain/webhook-delivery.lifecycle';

/** Every list is that of one endpoint, so one index serves it. */
export const webhookDeliveryListFilters: ListFilters<'endpointId' | 'status'> = {
  prefix: 'whd',
  table: 'webhook_deliveries',
  keys: { endpointId: { column: 'endpoint_id' } },
  enums: { status: { column: 'status', values: webhookDeliveryLifecycle.states } },
};

export const webhookDeliverySchema = new EntitySchema<WebhookDelivery>({
  name: 'WebhookDelivery',
  target: WebhookDelivery,
  tableName: 'webhook_deliveries',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    endpointId: { name: 'endpoint_id', type: 'text', update: false },
    eventId: { name: 'event_id', type: 'text', update: false },
    eventType: { name: 'event_type', type: 'text', update: false },
    status: { type: 'text' },
    attempts: { type: 'integer' },
    nextAttemptAt: { name: 'next_attempt_at', type: 'timestamptz', precision: 3, nullable: true },
    lastAttemptAt: { name: 'last_attempt_at', type: 'timestamptz', precision: 3, nullable: true },
    error: { type: 'text', nullable: true },
    responseStatus: { name: 'response_status', type: 'integer', nullable: true },
    responseBody: { name: 'response_body', type: 'text', nullable: true },
    durationMs: { name: 'duration_ms', type: 'integer', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
  },
  checks: [
    { expression: webhookDeliveryLifecycle.sqlCheck('status') },
    { expression: "(status = 'pending') = (next_attempt_at IS NOT NULL)" },
  ],
  indices: [
    {
      name: 'webhook_deliveries_account_endpoint_id_status',
      columns: ['accountId', 'endpointId', 'status', 'id'],
    },
    {
      name: 'webhook_deliveries_due',
      columns: ['accountId', 'endpointId', 'nextAttemptAt'],
      where: "status = 'pending'",
    },
    { name: 'webhook_deliveries_created', columns: ['createdAt'] },
    { name: 'webhook_deliveries_failed', columns: ['id'], where: "status = 'failed'" },
  ],
});
