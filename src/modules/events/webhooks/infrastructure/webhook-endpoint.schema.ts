import { EntitySchema } from 'typeorm';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { listIndices } from '../../../../platform/database/lists/list-filters';
import { disabledReasons, WebhookEndpoint } from '../domain/webhook-endpoint';

export const webhookEndpointListFilters: ListFilters<never> = {
  prefix: 'whk',
  table: 'webhook_endpoints',
  keys: {},
  enums: {},
  selective: { apiKeyId: { column: 'api_key_id' } },
};

export const webhookEndpointSchema = new EntitySchema<WebhookEndpoint>({
  name: 'WebhookEndpoint',
  target: WebhookEndpoint,
  tableName: 'webhook_endpoints',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    id: { type: 'text', primary: true },
    url: { type: 'text' },
    apiKeyId: { name: 'api_key_id', type: 'text', nullable: true },
    apiKeyExpiresAt: { name: 'api_key_expires_at', type: 'timestamptz', precision: 3, nullable: true },
    eventTypes: { name: 'event_types', type: 'text', array: true, nullable: true },
    secrets: { type: 'jsonb' },
    disabledAt: { name: 'disabled_at', type: 'timestamptz', precision: 3, nullable: true },
    disabledReason: { name: 'disabled_reason', type: 'text', nullable: true },
    failingSince: { name: 'failing_since', type: 'timestamptz', precision: 3, nullable: true },
    failures: { type: 'integer' },
    pausedUntil: { name: 'paused_until', type: 'timestamptz', precision: 3, nullable: true },
    nextDueAt: { name: 'next_due_at', type: 'timestamptz', precision: 3, nullable: true },
    leasedUntil: { name: 'leased_until', type: 'timestamptz', precision: 3, nullable: true },
    noticeDueAt: { name: 'notice_due_at', type: 'timestamptz', precision: 3, nullable: true },
    noticeAttempts: { name: 'notice_attempts', type: 'integer', default: 0 },
    signUpNetwork: { name: 'sign_up_network', type: 'text', nullable: true, update: false },
    fastFrom: { name: 'fast_from', type: 'timestamptz', precision: 3, nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    { expression: `disabled_reason IN (${disabledReasons.map((reason) => `'${reason}'`).join(', ')})` },
    { expression: '(disabled_at IS NULL) = (disabled_reason IS NULL)' },
  ],
  indices: [
    ...listIndices(webhookEndpointListFilters),
    { name: 'webhook_endpoints_due', columns: ['nextDueAt'], where: 'next_due_at IS NOT NULL' },
    { name: 'webhook_endpoints_api_key', columns: ['apiKeyId'], where: 'api_key_id IS NOT NULL' },
    {
      name: 'webhook_endpoints_expired_keys',
      columns: ['apiKeyExpiresAt'],
      where: 'disabled_at IS NULL AND api_key_expires_at IS NOT NULL',
    },
    { name: 'webhook_endpoints_notices', columns: ['noticeDueAt'], where: 'notice_due_at IS NOT NULL' },
    {
      name: 'webhook_endpoints_failed_notices',
      columns: ['id'],
      where: 'notice_due_at IS NULL AND notice_attempts > 0',
    },
  ],
});
