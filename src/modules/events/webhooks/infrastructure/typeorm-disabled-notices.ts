import { Injectable } from '@nestjs/common';
import { Any, IsNull, LessThanOrEqual, Not, Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { LeasedRows, LeaseEnd } from '../../../../platform/database/leased-rows';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { WriteTx } from '../../../../platform/database/tx';
import { DisabledNotice, DisabledNotices } from '../domain/disabled-notices';
import { DisabledReason, toNoticedReason, WebhookEndpoint } from '../domain/webhook-endpoint';
import { webhookEndpointSchema } from './webhook-endpoint.schema';

type Key = Pick<WebhookEndpoint, 'accountId' | 'id'>;

interface NoticeRow {
  readonly url: string;
  readonly disabled_reason: DisabledReason | null;
  readonly disabled_at: Date | null;
  readonly notice_attempts: number;
}

@Injectable()
export class TypeormDisabledNotices extends DisabledNotices {
  private readonly endpoints: Repository<WebhookEndpoint>;
  private readonly rows: LeasedRows;

  constructor(database: Database) {
    super();
    this.endpoints = database.repository(webhookEndpointSchema);
    this.rows = new LeasedRows(database, {
      table: 'webhook_endpoints',
      dueAt: 'notice_due_at',
      attempts: 'notice_attempts',
    });
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<Key[]> {
    return this.endpoints.find({
      select: { accountId: true, id: true },
      where: { noticeDueAt: LessThanOrEqual(now), id: Not(Any(excludedIds)) },
      order: { noticeDueAt: 'ASC' },
      take: limit,
    });
  }

  async claim({ accountId, id }: Key, now: Date, until: Date): Promise<DisabledNotice | null> {
    const row = await this.rows.claim<NoticeRow>({ account_id: accountId, id }, now, until);
    if (row === null) return null;
    const { url, disabled_reason: reason, disabled_at: disabledAt, notice_attempts: attempts } = row;
    return { accountId, id, url, reason: toNoticedReason(reason), disabledAt, attempts };
  }

  release({ accountId, id, attempts }: DisabledNotice, until: Date, dueAt: Date | null): Promise<void> {
    return this.rows.release({ account_id: accountId, id }, until, { dueAt, attempts });
  }

  complete({ accountId, id }: DisabledNotice, until: Date): Promise<void> {
    return this.rows.release({ account_id: accountId, id }, until, { dueAt: null, attempts: 0 });
  }

  count(): Promise<{ waiting: number; failed: number }> {
    return this.rows.count();
  }

  restore(tx: WriteTx, { accountId, id }: Key, { dueAt, attempts }: LeaseEnd): void {
    const update = this.endpoints
      .createQueryBuilder()
      .update()
      .set({ noticeDueAt: dueAt, noticeAttempts: attempts });
    enqueueWrite(tx, update.where({ accountId, id, noticeDueAt: IsNull(), disabledAt: Not(IsNull()) }));
  }
}
