import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { idRange } from '../../../../kernel/ids';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database, Tx } from '../../../../platform/database/database';
import type { ListFilters } from '../../../../platform/database/lists/list-filters';
import { WebhookEndpoint } from '../webhook-endpoint';
import { DeliverySelection, FailedDeliveries, WebhookDeliveryFilter } from './webhook-deliveries';
import { WebhookDelivery, webhookDeliveryLifecycle } from './webhook-delivery';

type EndpointKey = Pick<WebhookEndpoint, 'accountId' | 'id'>;

/** Lists are those of one endpoint, or of all accounts, which always name statuses. */
const webhookDeliveryListFilters: ListFilters = {
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
    { name: 'webhook_deliveries_status', columns: ['status', 'id'] },
  ],
});

const DELETE_BATCH = 1_000;
const MAX_COUNT = 10_000;

/** The condition of a selection, with its parameters from `toParams`. */
const SELECTED = `account_id = $1 AND endpoint_id = $2 AND status = ANY ($3) AND id > $4
  AND ($5::text[] IS NULL OR event_type = ANY ($5)) AND ($6::text IS NULL OR id < $6)`;

/**
 * The deliveries of an endpoint. A caller that changes them has locked the endpoint. In SQL, since deliveries are added and
 * changed by the hundred, and counted by parts of an index.
 */
@Injectable()
export class WebhookDeliveriesRepository extends AccountOwnedTable<WebhookDelivery, WebhookDeliveryFilter> {
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, webhookDeliverySchema, webhookDeliveryListFilters);
  }

  addAll(tx: Tx, deliveries: readonly WebhookDelivery[]): void {
    for (const insertion of this.table.insertAll(deliveries)) tx.enqueueInsert(insertion);
  }

  /** Finds due deliveries of an endpoint, the earliest first. */
  findDue(tx: Tx, { accountId, id }: EndpointKey, now: Date, limit: number): Promise<WebhookDelivery[]> {
    return this.select(
      tx,
      `WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending' AND next_attempt_at <= $3
       ORDER BY next_attempt_at LIMIT $4`,
      [accountId, id, now, limit],
    );
  }

  /** When the next delivery of the endpoint is due; null without a pending one. */
  async nextAttemptAt(tx: Tx, { accountId, id }: EndpointKey): Promise<Date | null> {
    const [row] = await tx.query<{ next: Date | null }>(
      `SELECT min(next_attempt_at) AS next FROM webhook_deliveries
       WHERE account_id = $1 AND endpoint_id = $2 AND status = 'pending'`,
      [accountId, id],
    );
    return row!.next;
  }

  /**
   * Counts the pending deliveries of all endpoints, and those of them that are due, each up to 10,000. The order makes the
   * planner read the index of pending deliveries, which ends early.
   */
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

  /**
   * Counts the failed deliveries of all endpoints, up to 10,000, and returns the oldest of them. The order makes the planner
   * read the index of the statuses, which ends early.
   */
  async countFailed(): Promise<FailedDeliveries> {
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

  /** Lets up to `limit` pending deliveries of a disabled endpoint fail. @returns the count */
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

  /** Makes up to `limit` of the selected deliveries due, the latest first. @returns their ids */
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

  /** Makes those of the deliveries due that have failed. @returns the count */
  async redeliverThese(
    tx: Tx,
    { accountId, id }: EndpointKey,
    ids: readonly string[],
    now: Date,
  ): Promise<number> {
    const due = await tx.query(
      `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_attempt_at = $4
       WHERE account_id = $1 AND endpoint_id = $2 AND status = 'failed' AND id = ANY ($3) RETURNING id`,
      [accountId, id, ids, now],
    );
    return due.length;
  }

  async count(endpoint: EndpointKey, selection: DeliverySelection): Promise<number> {
    const [row] = await this.database.query<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhook_deliveries WHERE ${SELECTED}`,
      toParams(endpoint, selection),
    );
    return row!.count;
  }

  /** Deletes a bounded number of deliveries that were created before then. @returns whether there may be more */
  deleteOld(before: Date): Promise<boolean> {
    return this.deleteFirst('created_at', before, DELETE_BATCH);
  }
}

function toParams({ accountId, id }: EndpointKey, selection: DeliverySelection): unknown[] {
  const { statuses, since, eventTypes, beforeId } = selection;
  return [accountId, id, statuses, idRange('whd', since).after, eventTypes, beforeId];
}
