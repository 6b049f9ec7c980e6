import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { readCursorPage } from '../../../platform/database/cursor-page';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Subscription } from '../domain/subscription';
import {
  SubscriptionFilter,
  SubscriptionKey,
  SubscriptionsRepository,
} from '../domain/subscriptions.repository';
import { subscriptionSchema } from './subscription.schema';

@Injectable()
export class TypeormSubscriptionsRepository extends SubscriptionsRepository {
  private readonly table: Table<Subscription>;
  private readonly rows: Repository<Subscription>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, subscriptionSchema);
    this.rows = dataSource.getRepository(subscriptionSchema);
  }

  async find(id: string, accountId: string | null): Promise<Subscription | null> {
    const within = accountId === null ? '' : 'AND account_id = $2';
    const sql = `SELECT ${this.table.columns} FROM subscriptions WHERE id = $1 ${within}`;
    return this.first(await this.database.read(sql, accountId === null ? [id] : [id, accountId]));
  }

  list(
    { from, to, customerEmail, ...equal }: SubscriptionFilter,
    request: CursorRequest,
  ): Promise<CursorPage<Subscription>> {
    const filter = { equal, ignoringCase: { customerEmail }, from, to };
    return readCursorPage(this.rows.createQueryBuilder('s'), filter, request);
  }

  async lock(tx: Tx, accountId: string, id: string): Promise<Subscription | null> {
    const sql = `SELECT ${this.table.columns} FROM subscriptions WHERE account_id = $1 AND id = $2`;
    const row = await tx.lockRow(sql, [accountId, id]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, subscription: Subscription): void {
    const { sql, params } = this.table.insert(subscription);
    tx.write(sql, params);
  }

  save(tx: Tx, subscription: Subscription): void {
    const { sql, params } = this.table.update(subscription);
    tx.write(sql, params);
  }

  async countActive(tx: Tx, accountId: string): Promise<number> {
    const sql = `SELECT count(*)::integer AS count FROM subscriptions WHERE account_id = $1 AND status = 'active'`;
    const [row] = await tx.read<{ count: number }>(sql, [accountId]);
    return row!.count;
  }

  async due(now: Date, except: readonly string[], limit: number): Promise<SubscriptionKey[]> {
    const sql = `SELECT account_id, id FROM subscriptions
                 WHERE status = 'active' AND next_payment_at <= $1 AND id <> ALL ($2)
                 ORDER BY next_payment_at, account_id LIMIT $3`;
    const rows = await this.database.read<{ account_id: string; id: string }>(sql, [now, except, limit]);
    return rows.map(({ account_id: accountId, id }) => ({ accountId, id }));
  }

  private first(rows: ObjectLiteral[]): Subscription | null {
    return rows[0] ? this.table.entity(rows[0]) : null;
  }
}
