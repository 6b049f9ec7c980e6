import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { idRange } from '../../../../kernel/ids';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import {
  DeliverySelection,
  FailedDeliveries,
  WebhookDeliveriesRepository,
  WebhookDeliveryFilter,
} from '../domain/webhook-deliveries.repository';
import { WebhookDelivery } from '../domain/webhook-delivery';
import { WebhookEndpoint } from '../domain/webhook-endpoint';
import { webhookDeliveryListFilters, webhookDeliverySchema } from './webhook-delivery.schema';

const DELETE_BATCH = 1_000;
const MAX_COUNT = 10_000;

type EndpointKey = Pick<WebhookEndpoint, 'accountId' | 'id'>;

/** The condition of a selection, with its parameters from `paramsOf`. */
const SELECTED = `account_id = $1 AND endpoint_id = $2 AND status = ANY ($3) AND id > $4
  AND ($5::text[] IS NULL OR event_type = ANY ($5)) AND ($6::text IS NULL OR id < $6)`;

/** In SQL, since deliveries are added and changed by the hundred, and counted by parts of an index. */
@Injectable()
export class SqlWebhookDeliveriesRepository
  extends AccountOwnedTable<WebhookDelivery, WebhookDeliveryFilter>
  implements WebhookDeliveriesRepository
{
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, webhookDeliverySchema, webhookDeliveryListFilters);
  }

  addAll(tx: Tx, deliveries: readonly WebhookDelivery[]): void {
    for (const insertion of this.table.insertAll(deliveries)) tx.enqueueInsert(insertion);
  }

  findDue(tx: Tx, { accountId, id }: EndpointKey, now: Date, limit: number): Promise<WebhookDelivery[]> {
    return this.select(
      tx,
      `WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending' AND next_attempt_at <= $3
       ORDER BY next_attempt_at LIMIT $4`,
      [accountId, id, now, limit],
    );
  }

  async nextAttemptAt(tx: Tx, { accountId, id }: EndpointKey): Promise<Date | null> {
    const [row] = await tx.query<{ next: Date | null }>(
      `SELECT min(next_attempt_at) AS next FROM webhook_deliveries
       WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending'`,
      [accountId, id],
    );
    return row!.next;
  }

  /** The order makes the planner read the index of pending deliveries, which ends early. */
  async countPending(now: Date): Promise<{ pending: number; due: number }> {
    const [row] = await this.database.query<{ pending: number; due: number }>(
      `SELECT
         (SELECT count(*)::int FROM (
           SELECT 1 FROM webhook_deliveries WHERE status = 'pending'
           ORDER BY account_id, endpoint_id, next_attempt_at LIMIT ${MAX_COUNT}) p) AS pending,
         (SELECT count(*)::int FROM (
           SELECT 1 FROM webhook_endpoints e CROSS JOIN LATERAL (
             SELECT 1 FROM webhook_deliveries d
             WHERE d.account_id = e.account_id AND d.endpoint_id = e.id AND d.status = 'pending'
               AND d.next_attempt_at <= $1
             ORDER BY d.next_attempt_at LIMIT ${MAX_COUNT}) d
           WHERE e.next_due_at <= $1 ORDER BY e.next_due_at LIMIT ${MAX_COUNT}) q) AS due`,
      [now],
    );
    return row!;
  }

  /** The order makes the planner read the index of failed deliveries, which ends early. */
  async failed(): Promise<FailedDeliveries> {
    const failed = `FROM webhook_deliveries WHERE status = 'failed' ORDER BY id`;
    const [[row], [oldest]] = await Promise.all([
      this.database.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM (SELECT 1 ${failed} LIMIT ${MAX_COUNT}) AS failed`,
        [],
      ),
      this.select(this.database, `WHERE status = 'failed' ORDER BY id LIMIT 1`, []),
    ]);
    return { count: row!.count, isCut: row!.count === MAX_COUNT, oldest: oldest ?? null };
  }

  async failPending(tx: Tx, { accountId, id }: EndpointKey, limit: number): Promise<number> {
    const failed = await tx.query(
      `UPDATE webhook_deliveries SET status = 'failed', error = 'endpoint_disabled', next_attempt_at = NULL
       WHERE account_id = $1 AND id IN (
         SELECT id FROM webhook_deliveries
         WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending' ORDER BY next_attempt_at LIMIT $3
       ) RETURNING id`,
      [accountId, id, limit],
    );
    return failed.length;
  }

  async redeliver(
    tx: Tx,
    endpoint: EndpointKey,
    selection: DeliverySelection,
    now: Date,
    limit: number,
  ): Promise<readonly string[]> {
    const due = await tx.query<{ id: string }>(
      `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = $7
       WHERE account_id = $1 AND id IN (
         SELECT id FROM webhook_deliveries WHERE ${SELECTED} ORDER BY id DESC LIMIT $8
       ) RETURNING id`,
      [...toParams(endpoint, selection), now, limit],
    );
    return due.map(({ id }) => id);
  }

  async count(endpoint: EndpointKey, selection: DeliverySelection): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE ${SELECTED}`,
      toParams(endpoint, selection),
    );
    return row!.count;
  }

  deleteOld(before: Date): Promise<boolean> {
    return this.deleteFirst('created_at', before, DELETE_BATCH);
  }
}

function toParams({ accountId, id }: EndpointKey, selection: DeliverySelection): unknown[] {
  const { statuses, since, eventTypes, beforeId } = selection;
  return [accountId, id, statuses, idRange('whd', since).after, eventTypes, beforeId];
}
