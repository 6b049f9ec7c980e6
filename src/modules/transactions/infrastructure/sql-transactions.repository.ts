import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Backlog } from '../../../platform/database/account-owned-repository';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Snapshot, Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { AccountFault } from '../../ledger';
import { Transaction, TransactionType } from '../domain/transaction';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';
import { transactionListFilters, transactionSchema } from './transaction.schema';

/** How many rows are read at a time. */
const BATCH = 1_000;

/** In SQL, since transactions are created and settled in groups, listed with a cursor, and found when they are due. */
@Injectable()
export class SqlTransactionsRepository
  extends AccountOwnedTable<Transaction, TransactionFilter>
  implements TransactionsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, transactionSchema, transactionListFilters, events);
  }

  async exists(tx: Tx, accountId: string, id: string): Promise<boolean> {
    return (await this.select(tx, 'WHERE account_id = $1 AND id = $2', [accountId, id])).length > 0;
  }

  lockCancelable(tx: Tx, accountId: string, limit: number): Promise<Transaction[]> {
    const rest = `WHERE account_id = $1 AND status = 'pending' AND sent_at IS NULL ORDER BY id LIMIT $2 FOR UPDATE`;
    return this.select(tx, rest, [accountId, limit]);
  }

  lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Transaction[]> {
    const rest = `WHERE account_id = $1 AND id = ANY ($2) AND status = 'pending' AND settles_at <= $3
                  ORDER BY settles_at, id`;
    return this.lockFree(tx, rest, [accountId, ids, now]);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'settles_at', where: "status = 'pending'" }, now, excludedIds, limit);
  }

  findDueRefunds(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'send_at', where: 'send_at IS NOT NULL' }, now, excludedIds, limit);
  }

  pending(type: TransactionType): Promise<Backlog> {
    return this.backlogOf({ status: 'pending', type });
  }

  async *faults(snapshot: Snapshot): AsyncIterable<AccountFault[]> {
    const sql = `SELECT account_id, id, coalesce(p.refunded, 0) AS recorded, coalesce(r.refunded, 0) AS actual
                 FROM (SELECT account_id, id, CASE type WHEN 'payment' THEN refunded END AS refunded
                       FROM transactions WHERE refunded > 0) AS p
                 FULL JOIN (SELECT account_id, source_transaction_id AS id, sum(amount) AS refunded FROM transactions
                            WHERE source_transaction_id IS NOT NULL AND status IN ('pending', 'succeeded')
                            GROUP BY account_id, source_transaction_id) AS r USING (account_id, id)
                 WHERE p.refunded IS DISTINCT FROM r.refunded ORDER BY account_id, id`;
    type Row = Record<'account_id' | 'id' | 'recorded' | 'actual', string>;
    for await (const rows of snapshot.stream<Row>(sql, BATCH)) {
      yield rows.map(({ account_id: accountId, id, recorded, actual }) => ({
        accountId,
        fault: `${id}: the refunds that name it sum to ${actual}, its row has ${recorded}`,
      }));
    }
  }
}
