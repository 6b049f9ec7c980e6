import { MigrationInterface, QueryRunner } from 'typeorm';
import { createIndex, dropIndex } from '../src/platform/database/migrations/index-migration';

/** Webhook endpoints by status, and the deliveries to all of them by status. */
export class WebhookAttention1796038000000 implements MigrationInterface {
  readonly transaction = false;

  async up(queryRunner: QueryRunner): Promise<void> {
    for (const [table, name, definition] of CREATED) await createIndex(queryRunner, table, name, definition);
    await dropIndex(queryRunner, 'webhook_deliveries', 'webhook_deliveries_failed');
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    const failed = `("id") WHERE status = 'failed'`;
    await createIndex(queryRunner, 'webhook_deliveries', 'webhook_deliveries_failed', failed);
    for (const [table, name] of CREATED) await dropIndex(queryRunner, table, name);
  }
}

const CREATED: readonly (readonly [table: string, name: string, definition: string])[] = [
  ['webhook_endpoints', 'webhook_endpoints_enabled', '("id" NULLS FIRST) WHERE disabled_at IS NULL'],
  [
    'webhook_endpoints',
    'webhook_endpoints_failing',
    '("id" NULLS FIRST) WHERE disabled_at IS NULL AND failing_since IS NOT NULL',
  ],
  [
    'webhook_endpoints',
    'webhook_endpoints_disabled',
    `("id" NULLS FIRST) WHERE disabled_reason <> 'account_closed'`,
  ],
  ['webhook_deliveries', 'webhook_deliveries_status', '("status" NULLS FIRST, "id")'],
];
