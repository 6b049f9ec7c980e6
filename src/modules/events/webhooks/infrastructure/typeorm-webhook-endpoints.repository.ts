import { Injectable } from '@nestjs/common';
import { Any, DataSource, IsNull, Repository } from 'typeorm';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Tx } from '../../../../platform/database/tx';
import { WebhookEndpoint } from '../domain/webhook-endpoint';
import {
  DuePosition,
  WebhookEndpointFilter,
  WebhookEndpointsRepository,
} from '../domain/webhook-endpoints.repository';
import { webhookEndpointListFilters, webhookEndpointSchema } from './webhook-endpoint.schema';

type Key = Pick<WebhookEndpoint, 'accountId' | 'id'>;

@Injectable()
export class TypeormWebhookEndpointsRepository
  extends AccountOwnedTable<WebhookEndpoint, WebhookEndpointFilter>
  implements WebhookEndpointsRepository
{
  private readonly endpoints: Repository<WebhookEndpoint>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, webhookEndpointSchema, webhookEndpointListFilters);
    this.endpoints = database.repository(webhookEndpointSchema);
  }

  lockAllOf(tx: Tx, accountId: string): Promise<WebhookEndpoint[]> {
    const order = { id: 'ASC' } as const;
    const lock = { mode: 'pessimistic_write' } as const;
    return tx.repository(webhookEndpointSchema).find({ where: { accountId }, order, lock });
  }

  delete(tx: Tx, { accountId, id }: Key): void {
    enqueueWrite(tx, this.endpoints.createQueryBuilder().delete().where({ accountId, id }));
  }

  findEnabledOf(tx: Tx, accountIds: readonly string[]): Promise<WebhookEndpoint[]> {
    const where = { accountId: Any(accountIds), disabledAt: IsNull() };
    return tx.repository(webhookEndpointSchema).find({ where, order: { id: 'ASC' } });
  }

  /** In SQL, since the update depends on another column. */
  scheduleDelivery(tx: Tx, { accountId, id }: Key, now: Date): void {
    tx.enqueue(
      `UPDATE webhook_endpoints SET next_due_at = greatest($3, paused_until)
       WHERE account_id = $1 AND id = $2 AND (next_due_at IS NULL OR next_due_at > greatest($3, paused_until))`,
      [accountId, id, now],
    );
  }

  /** In SQL, since a comparison of rows continues after the last endpoint. */
  findDue(now: Date, after: DuePosition | null, limit: number): Promise<WebhookEndpoint[]> {
    return this.select(
      this.database,
      `WHERE next_due_at <= $1 AND (next_due_at, id) > ($2, $3)
         AND (leased_until IS NULL OR leased_until <= $1)
       ORDER BY next_due_at, id LIMIT $4`,
      [now, after?.nextDueAt ?? new Date(0), after?.id ?? '', limit],
    );
  }

  /** In SQL, since TypeORM's minimum is a number. */
  async earliestDue(): Promise<Date | null> {
    const sql = 'SELECT min(next_due_at) AS earliest FROM webhook_endpoints';
    const [row] = await this.database.query<{ earliest: Date | null }>(sql, []);
    return row!.earliest;
  }

  findOfExpiredKeys(now: Date, excludedIds: readonly string[], limit: number): Promise<Key[]> {
    const due = { column: 'api_key_expires_at', where: 'disabled_at IS NULL' };
    return this.findDueBy(due, now, excludedIds, limit);
  }

  /** In SQL, since the id of a key is a part of the elements of a column. */
  findEncryptedWith(keyIds: readonly string[], limit: number): Promise<Key[]> {
    return this.database.query<Key & { id: string }>(
      `SELECT account_id AS "accountId", id FROM webhook_endpoints
       WHERE EXISTS (SELECT FROM jsonb_array_elements(secrets) AS secret
                     WHERE split_part(secret ->> 'encrypted', '.', 1) = ANY ($1)) LIMIT $2`,
      [keyIds, limit],
    );
  }
}
