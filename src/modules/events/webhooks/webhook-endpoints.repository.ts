import { Injectable } from '@nestjs/common';
import { Any, DataSource, EntitySchema, IsNull, Not, Repository } from 'typeorm';
import type { AccountOwnedFilter } from '../../../platform/database/account-owned-repository';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { type ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { LeasedRows, LeaseEnd } from '../../../platform/database/leased-rows';
import { enqueueWrite } from '../../../platform/database/repositories';
import { apiVersion } from '../../../platform/database/table';
import {
  DisabledNotice,
  DisabledNotices,
  DisabledReason,
  disabledReasons,
  toNoticedReason,
} from './disabled-endpoints';
import { EndpointCount, EndpointState, UnhealthyEndpoints, WebhookEndpoint } from './webhook-endpoint';

export type WebhookEndpointFilter = AccountOwnedFilter<WebhookEndpoint> & {
  readonly status?: EndpointState;
};
type Key = Pick<WebhookEndpoint, 'accountId' | 'id'>;
export type DuePosition = Pick<WebhookEndpoint, 'nextDueAt' | 'id'>;

/** The endpoint of a closed account stays disabled, so nobody looks for it. */
const stateConditions = {
  enabled: 'disabled_at IS NULL',
  failing: 'disabled_at IS NULL AND failing_since IS NOT NULL',
  disabled: "disabled_reason <> 'account_closed'",
} as const satisfies Record<EndpointState, string>;

const MAX_COUNT = 10_000;

const webhookEndpointListFilters: ListFilters = {
  prefix: 'whk',
  table: 'webhook_endpoints',
  keys: {},
  enums: {},
  states: { status: stateConditions },
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
    apiVersion,
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
    ...Object.entries(stateConditions).map(([state, where]) => ({
      name: `webhook_endpoints_${state}`,
      columns: ['id' as const],
      where,
    })),
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

@Injectable()
export class WebhookEndpointsRepository extends AccountOwnedTable<WebhookEndpoint, WebhookEndpointFilter> {
  private readonly endpoints: Repository<WebhookEndpoint>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, webhookEndpointSchema, webhookEndpointListFilters);
    this.endpoints = database.repository(webhookEndpointSchema);
  }

  /** All endpoints of an account that `tx` has locked. */
  lockAllOf(tx: Tx, accountId: string): Promise<WebhookEndpoint[]> {
    const order = { id: 'ASC' } as const;
    const lock = { mode: 'pessimistic_write' } as const;
    return tx.repository(webhookEndpointSchema).find({ where: { accountId }, order, lock });
  }

  delete(tx: Tx, { accountId, id }: Key): void {
    enqueueWrite(tx, this.endpoints.createQueryBuilder().delete().where({ accountId, id }));
  }

  /** The enabled endpoints of accounts, without locks. */
  findEnabledOf(tx: Tx, accountIds: readonly string[]): Promise<WebhookEndpoint[]> {
    const where = { accountId: Any(accountIds), disabledAt: IsNull() };
    return tx.repository(webhookEndpointSchema).find({ where, order: { id: 'ASC' } });
  }

  /**
   * Makes an endpoint due at `now`, or at the end of its pause, unless it is due before. In SQL, since the update depends on
   * another column.
   */
  scheduleDelivery(tx: Tx, { accountId, id }: Key, now: Date): void {
    tx.enqueue(
      `UPDATE webhook_endpoints SET next_due_at = greatest($3, paused_until)
       WHERE account_id = $1 AND id = $2 AND (next_due_at IS NULL OR next_due_at > greatest($3, paused_until))`,
      [accountId, id, now],
    );
  }

  /**
   * Finds endpoints that are due and not leased, the earliest first, without locks. In SQL, since a comparison of rows
   * continues after the last endpoint.
   * @param after the last endpoint of the page before; null for the first page
   */
  async findDue(now: Date, after: DuePosition | null, limit: number): Promise<WebhookEndpoint[]> {
    const rows = await this.database.sweep(
      this.table.name,
      (name) => `SELECT ${this.table.columns} FROM ${name}
        WHERE next_due_at <= $1 AND (next_due_at, id) > ($2, $3)
          AND (leased_until IS NULL OR leased_until <= $1)
        ORDER BY next_due_at, id LIMIT $4`,
      [now, after?.nextDueAt ?? new Date(0), after?.id ?? '', limit],
    );
    const dueAt = ({ nextDueAt }: WebhookEndpoint): number => nextDueAt!.getTime();
    return rows
      .map((row) => this.table.entity(row))
      .toSorted((one, other) => dueAt(one) - dueAt(other) || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }

  /**
   * When the first endpoint that becomes due after `time` does, or did; null when none will. In SQL, for a minimum that is a
   * time.
   */
  async earliestDue(time = new Date(0)): Promise<Date | null> {
    const rows = await this.database.sweep<{ earliest: Date | null }>(
      this.table.name,
      (name) => `SELECT min(next_due_at) AS earliest FROM ${name} WHERE next_due_at > $1`,
      [time],
    );
    const times = rows.flatMap(({ earliest }) => earliest?.getTime() ?? []);
    return times.length === 0 ? null : new Date(Math.min(...times));
  }

  /** Finds enabled endpoints of API keys that have expired. */
  findOfExpiredKeys(now: Date, excludedIds: readonly string[], limit: number): Promise<Key[]> {
    const due = { column: 'api_key_expires_at', where: 'disabled_at IS NULL' };
    return this.findDueBy(due, now, excludedIds, limit);
  }

  /** Counts the endpoints that deliver nothing, each state up to 10,000. In SQL, for counts that end early. */
  async countUnhealthy(): Promise<UnhealthyEndpoints> {
    const count = async (state: 'failing' | 'disabled', time: string): Promise<EndpointCount> => {
      const found = `SELECT ${time} AS at FROM webhook_endpoints WHERE ${stateConditions[state]} ORDER BY id NULLS FIRST LIMIT ${MAX_COUNT}`;
      const sql = `SELECT count(*)::integer AS count, min(at) AS since FROM (${found}) AS found`;
      const [row] = await this.database.query<{ count: number; since: Date | null }>(sql, []);
      return { ...row!, isCut: row!.count === MAX_COUNT };
    };
    const [failing, disabled] = await Promise.all([
      count('failing', 'failing_since'),
      count('disabled', 'disabled_at'),
    ]);
    return { failing, disabled };
  }

  /** Finds the enabled ones among endpoints. */
  async filterEnabled(keys: readonly Key[]): Promise<readonly Key[]> {
    const where = {
      accountId: Any(keys.map(({ accountId }) => accountId)),
      id: Any(keys.map(({ id }) => id)),
    };
    const select = { accountId: true, id: true } as const;
    return this.endpoints.find({ select, where: { ...where, disabledAt: IsNull() } });
  }

  /** Finds endpoints with a secret that was encrypted with one of the keys, whose ids are parts of a column's elements. */
  findEncryptedWith(keyIds: readonly string[], limit: number): Promise<Key[]> {
    return this.database.query<Key>(
      `SELECT account_id AS "accountId", id FROM webhook_endpoints
       WHERE EXISTS (SELECT FROM jsonb_array_elements(secrets) AS secret
                     WHERE split_part(secret ->> 'encrypted', '.', 1) = ANY ($1)) LIMIT $2`,
      [keyIds, limit],
    );
  }
}

interface NoticeRow {
  readonly url: string;
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: Date | null;
  readonly notice_attempts: number;
}

/** The notices, of which one process at a time sends each. */
@Injectable()
export class DisabledNoticesRepository extends LeasedRows implements DisabledNotices {
  private readonly endpoints: Repository<WebhookEndpoint>;

  constructor(database: Database) {
    super(database, { table: 'webhook_endpoints', dueAt: 'notice_due_at', attempts: 'notice_attempts' });
    this.endpoints = database.repository(webhookEndpointSchema);
  }

  async claim({ accountId, id }: Key, now: Date, until: Date): Promise<DisabledNotice | null> {
    const row = await this.claimRow<NoticeRow>({ account_id: accountId, id }, now, until);
    if (row === null) return null;
    const { url, disabled_reason: reason, disabled_at: disabledAt, notice_attempts: attempts } = row;
    return { accountId, id, url, reason: toNoticedReason(reason), disabledAt, attempts };
  }

  release({ accountId, id, attempts }: DisabledNotice, until: Date, dueAt: Date | null): Promise<void> {
    return this.releaseRow({ account_id: accountId, id }, until, { dueAt, attempts });
  }

  complete({ accountId, id }: DisabledNotice, until: Date): Promise<void> {
    return this.releaseRow({ account_id: accountId, id }, until, { dueAt: null, attempts: 0 });
  }

  restore(tx: WriteTx, { accountId, id }: Key, { dueAt, attempts }: LeaseEnd): void {
    const update = this.endpoints
      .createQueryBuilder()
      .update()
      .set({ noticeDueAt: dueAt, noticeAttempts: attempts });
    enqueueWrite(tx, update.where({ accountId, id, noticeDueAt: IsNull(), disabledAt: Not(IsNull()) }));
  }
}
