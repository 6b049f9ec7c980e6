import { Injectable } from '@nestjs/common';
import {
  amountColumns,
  accountOwnedColumns,
  AccountOwnedFilter,
  AccountOwnedTable,
  Database,
  ListFilters,
  listIndices,
  ReadTx,
} from 'countinghouse';
import { DataSource, EntitySchema } from 'typeorm';
import { Payout, payoutLifecycle, PayoutStatus } from './payout';

const payoutListFilters: ListFilters = {
  prefix: 'pout',
  table: 'payouts',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: { status: { column: 'status', values: payoutLifecycle.states } },
};

export const payoutSchema = new EntitySchema<Payout>({
  name: 'Payout',
  target: Payout,
  tableName: 'payouts',
  columns: {
    ...accountOwnedColumns,
    ...amountColumns,
    reference: { type: 'text', nullable: true, update: false },
  },
  // The name that PostgreSQL gives the constraint of the migration.
  checks: [{ name: 'payouts_status_check', expression: payoutLifecycle.sqlCheck('status') }],
  indices: listIndices(payoutListFilters),
});

export type PayoutFilter = AccountOwnedFilter<Payout>;

/** The payouts of one currency in one status, in minor units. */
export interface PayoutTotal {
  readonly currency: string;
  readonly status: PayoutStatus;
  readonly count: number;
  readonly amount: number;
}

@Injectable()
export class PayoutsTable extends AccountOwnedTable<Payout, PayoutFilter> {
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, payoutSchema, payoutListFilters);
  }

  async hasPending(tx: ReadTx, accountId: string): Promise<boolean> {
    const sql = `SELECT id FROM payouts WHERE account_id = $1 AND status = 'pending' LIMIT 1`;
    return (await tx.read(sql, [accountId])).length > 0;
  }

  async totals(): Promise<PayoutTotal[]> {
    const sql = `SELECT currency, status, count(*) AS count, sum(amount) AS amount FROM payouts
                 GROUP BY currency, status ORDER BY currency, status`;
    const rows = await this.database.query<PayoutTotal>(sql, []);
    return rows.map((row) => ({ ...row, count: Number(row.count), amount: Number(row.amount) }));
  }
}
