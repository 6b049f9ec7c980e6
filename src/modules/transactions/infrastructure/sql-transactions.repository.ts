import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { Backlog } from '../../../platform/database/account-owned-repository';
import {
  amountColumns,
  accountOwnedColumns,
  AccountOwnedTable,
} from '../../../platform/database/account-owned-table';
import { mergedBacklog } from '../../../platform/database/lists/backlog';
import { Database, Snapshot, Tx } from '../../../platform/database/database';
import { ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount, safeBigint } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { Direction } from '../../accounts';
import { AccountFault } from '../../ledger';
import { Transaction, transactionLifecycle, TransactionType, transactionTypes } from '../domain/transaction';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';

const listFilters: ListFilters = {
  prefix: 'txn',
  table: 'transactions',
  keys: {
    reference: { column: 'reference', nullable: true },
    // Only refunds have one, so only they write entries of its indexes.
    sourceTransactionId: { column: 'source_transaction_id', shortName: 'source', nullable: true },
  },
  enums: {
    status: { column: 'status', values: transactionLifecycle.states },
    type: { column: 'type', values: transactionTypes },
  },
  // A payment request has one payment.
  selective: { paymentRequestId: { column: 'payment_request_id' } },
  searched: 'reference',
  amounts: true,
};

export const transactionSchema = new EntitySchema<Transaction>({
  name: 'Transaction',
  target: Transaction,
  tableName: 'transactions',
  columns: {
    ...accountOwnedColumns,
    ...amountColumns,
    type: { type: 'text', update: false },
    reference: { type: 'text', nullable: true },
    firstReference: { name: 'first_reference', type: 'text', nullable: true },
    metadata: { type: 'jsonb', default: {} },
    sourceTransactionId: { name: 'source_transaction_id', type: 'text', nullable: true, update: false },
    paymentRequestId: { name: 'payment_request_id', type: 'text', nullable: true, update: false },
    refunded: { type: 'bigint', transformer: safeBigint, default: 0 },
    settlesAt: { name: 'settles_at', type: 'timestamptz', precision: 3, nullable: true },
    dueOutcome: { name: 'due_outcome', type: 'text', nullable: true },
    failureReason: { name: 'failure_reason', type: 'text', nullable: true },
    processorReference: { name: 'processor_reference', type: 'text', nullable: true },
    sendAt: { name: 'send_at', type: 'timestamptz', precision: 3, nullable: true },
    approvalId: { name: 'approval_id', type: 'text', nullable: true },
    approvedAt: { name: 'approved_at', type: 'timestamptz', precision: 3, nullable: true },
    countedAdminId: { name: 'counted_admin_id', type: 'text', nullable: true, update: false },
    sentAt: { name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [
    { expression: transactionLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
    { expression: 'refunded BETWEEN 0 AND amount' },
  ],
  indices: [
    ...listIndices(listFilters),
    {
      name: 'transactions_payment_request',
      columns: ['paymentRequestId', 'id'],
      where: 'payment_request_id IS NOT NULL',
    },
    {
      name: 'transactions_due',
      columns: ['settlesAt', 'accountId'],
      where: "status = 'pending' AND settles_at IS NOT NULL",
    },
    { name: 'transactions_to_send', columns: ['sendAt'], where: 'send_at IS NOT NULL' },
    { name: 'transactions_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});

/** How many rows are read at a time. */
const BATCH = 1_000;

/** In SQL, since transactions are created and settled in groups, listed with a cursor, and found when they are due. */
@Injectable()
export class SqlTransactionsRepository
  extends AccountOwnedTable<Transaction, TransactionFilter>
  implements TransactionsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, transactionSchema, listFilters, events);
  }

  async exists(tx: Tx, accountId: string, id: string): Promise<boolean> {
    return (await this.select(tx, 'WHERE account_id = $1 AND id = $2', [accountId, id])).length > 0;
  }

  lockUnsent(tx: Tx, accountId: string, after: string, limit: number): Promise<Transaction[]> {
    const rest = `WHERE account_id = $1 AND status = 'pending' AND sent_at IS NULL AND id > $2
                  ORDER BY id LIMIT $3 FOR UPDATE`;
    return this.select(tx, rest, [accountId, after, limit]);
  }

  async lockDue(tx: Tx, accountId: string, ids: readonly string[], now: Date): Promise<Transaction[]> {
    const found = await this.lockFree(tx, accountId, ids);
    return found.filter(
      ({ status, settlesAt }) => status === 'pending' && settlesAt !== null && settlesAt <= now,
    );
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'settles_at', where: "status = 'pending'" }, now, excludedIds, limit);
  }

  findDueRefunds(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'send_at', where: 'send_at IS NOT NULL' }, now, excludedIds, limit);
  }

  async backlogs(): Promise<Readonly<Record<Direction, Backlog>>> {
    const pending = (type: TransactionType) => this.backlogOf({ status: 'pending', type });
    const all = [pending('payment'), pending('credit'), pending('refund')] as const;
    const [payments, credits, refunds] = await Promise.all(all);
    return { in: mergedBacklog([payments, credits]), out: refunds };
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
