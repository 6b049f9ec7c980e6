import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { ReadTx, Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Subscription } from '../domain/subscription';
import { SubscriptionFilter, SubscriptionsRepository } from '../domain/subscriptions.repository';
import { subscriptionListFilters, subscriptionSchema } from './subscription.schema';

/** In SQL, since a payment that is due skips locked rows, and a hook reads the count through its ReadTx. */
@Injectable()
export class SqlSubscriptionsRepository
  extends AccountOwnedTable<Subscription, SubscriptionFilter>
  implements SubscriptionsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, subscriptionSchema, subscriptionListFilters, events);
  }

  async countActive(tx: ReadTx, accountId: string): Promise<number> {
    const sql = `SELECT count(*)::integer AS count FROM subscriptions WHERE account_id = $1 AND status = 'active'`;
    const [row] = await tx.read<{ count: number }>(sql, [accountId]);
    return row!.count;
  }

  lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Subscription[]> {
    const rest = `WHERE account_id = $1 AND id = ANY ($2) AND status = 'active' AND next_payment_at <= $3
                  ORDER BY next_payment_at, id`;
    return this.lockFree(tx, rest, [accountId, ids, now]);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'next_payment_at', where: "status = 'active'" }, now, excludedIds, limit);
  }
}
