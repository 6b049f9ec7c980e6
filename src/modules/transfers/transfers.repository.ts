import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import { CursorPage, CursorRequest } from '../../kernel/pages';
import { AccountOwnedFilter, AmountFilter } from '../../platform/database/account-owned-repository';
import {
  accountOwnedColumns,
  AccountOwnedTable,
  amountColumns,
} from '../../platform/database/account-owned-table';
import { Database, Snapshot, Tx } from '../../platform/database/database';
import { ListFilters, listIndices } from '../../platform/database/lists/list-filters';
import { eventCount, safeBigint } from '../../platform/database/table';
import { EventRecorder } from '../../platform/events/event-recorder';
import { AccountFault } from '../ledger';
import { Transfer, transferLifecycle } from './transfer';

export type TransferFilter = AccountOwnedFilter<Transfer> & AmountFilter;

const directions = ['in', 'out'] as const;

const listFilters: ListFilters = {
  prefix: 'trf',
  table: 'transfers',
  keys: { reference: { column: 'reference', nullable: true } },
  enums: {
    status: { column: 'status', values: transferLifecycle.states },
    direction: { column: 'direction', values: directions },
  },
  // A payment has one transfer; a refund has one for each part, and a transfer is sent back in few.
  selective: {
    sourceTransactionId: { column: 'source_transaction_id' },
    reversalOf: { column: 'reversal_of' },
  },
  amounts: true,
};

export const transferSchema = new EntitySchema<Transfer>({
  name: 'Transfer',
  target: Transfer,
  tableName: 'transfers',
  columns: {
    ...accountOwnedColumns,
    ...amountColumns,
    amount: { type: 'bigint', transformer: safeBigint },
    direction: { type: 'text', update: false },
    fromAccountId: { name: 'from_account_id', type: 'text', update: false },
    fromName: { name: 'from_name', type: 'text', update: false },
    parts: { type: 'jsonb' },
    counterparty: { type: 'text', nullable: true, update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    releasedAmount: { name: 'released_amount', type: 'bigint', transformer: safeBigint, default: 0 },
    reversedAmount: { name: 'reversed_amount', type: 'bigint', transformer: safeBigint, default: 0 },
    reversalOf: { name: 'reversal_of', type: 'text', nullable: true, update: false },
    sourceTransactionId: { name: 'source_transaction_id', type: 'text', nullable: true, update: false },
    capture: { type: 'text', update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    approvalId: { name: 'approval_id', type: 'text', nullable: true, update: false },
    approvedAt: { name: 'approved_at', type: 'timestamptz', precision: 3, nullable: true },
    eventCount,
  },
  checks: [
    { expression: transferLifecycle.sqlCheck('status') },
    { expression: "direction IN ('in', 'out')" },
    { expression: 'amount BETWEEN 1 AND 9007199254740991 AND reversed_amount BETWEEN 0 AND amount' },
  ],
  indices: [
    ...listIndices(listFilters),
    { name: 'transfers_reversal_of', columns: ['reversalOf', 'id'], where: 'reversal_of IS NOT NULL' },
    {
      name: 'transfers_source',
      columns: ['sourceTransactionId', 'id'],
      where: 'source_transaction_id IS NOT NULL',
    },
    {
      name: 'transfers_due',
      columns: ['expiresAt', 'accountId'],
      where: "status = 'pending' AND direction = 'out' AND expires_at IS NOT NULL",
    },
    { name: 'transfers_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});

/** How many pending transfers a closing cancels in one database transaction: each may have a hundred accounts, which wait. */
export const MAX_CLOSED = 10;

/** How many rows are read at a time. */
const BATCH = 1_000;

/** One row for each side of a transfer. In SQL, since lists have a cursor and what is due is found across accounts. */
@Injectable()
export class TransfersRepository extends AccountOwnedTable<Transfer, TransferFilter> {
  /** Of both sides that of the account that gives. */
  protected override readonly foundById = `direction = 'out'`;

  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, transferSchema, listFilters, events);
  }

  /** Across accounts it lists each transfer once, as the account sees it that gives. */
  override list(filter: TransferFilter, page: CursorRequest): Promise<CursorPage<Transfer>> {
    const isOfOne = filter.accountId !== undefined || filter.direction !== undefined;
    return super.list(isOfOne ? filter : { ...filter, direction: 'out' }, page);
  }

  /**
   * Reads all sides of a transfer whose accounts are locked, and with them every change of its rows.
   * @returns that of the account that gives first
   */
  async sides(tx: Tx, id: string, accountIds: readonly string[]): Promise<Transfer[]> {
    const rest = `WHERE account_id = ANY ($1) AND id = $2 ORDER BY direction DESC, account_id`;
    return this.select(tx, rest, [accountIds, id]);
  }

  /** Finds the transfer that splits a payment of an account, as that account sees it. */
  async findSplit(source: Pick<Tx, 'query'>, accountId: string, paymentId: string): Promise<Transfer | null> {
    const rest = `WHERE account_id = $1 AND source_transaction_id = $2 AND direction = 'out'`;
    const [split] = await this.select(source, rest, [accountId, paymentId]);
    return split ?? null;
  }

  /** @returns those of the transactions of an account that are the source of a transfer */
  async findSources(tx: Tx, accountId: string, transactionIds: readonly string[]): Promise<string[]> {
    const rest = 'WHERE account_id = $1 AND source_transaction_id = ANY ($2)';
    const transfers = await this.select(tx, rest, [accountId, transactionIds]);
    return transfers.map((transfer) => transfer.sourceTransactionId!);
  }

  /** Finds pending transfers of an account, as either side, oldest first. */
  pendingOf(tx: Tx, accountId: string, limit: number): Promise<Transfer[]> {
    return this.select(tx, `WHERE account_id = $1 AND status = 'pending' ORDER BY id LIMIT $2`, [
      accountId,
      limit,
    ]);
  }

  /** Finds the accounts of pending transfers of an account, as either side. Which a transfer has never changes. */
  async partnersOf(tx: Tx, accountId: string): Promise<string[]> {
    const pending = await this.pendingOf(tx, accountId, MAX_CLOSED + 1);
    if (pending.length === 0) return [];
    const givers = pending.map(({ fromAccountId }) => fromAccountId);
    const rest = `WHERE account_id = ANY ($1) AND id = ANY ($2) AND direction = 'out'`;
    const outs = await this.select(tx, rest, [[...new Set(givers)], pending.map(({ id }) => id)]);
    return outs.flatMap(({ fromAccountId, receiverIds }) => [fromAccountId, ...receiverIds]);
  }

  /** Finds pending transfers that expire, under the account that gives, the earliest first. */
  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    const where = `status = 'pending' AND direction = 'out'`;
    return this.findDueBy({ column: 'expires_at', where }, now, excludedIds, limit);
  }

  /** Transfers whose sides do not sum to zero, are not alike, or miss one another. */
  async *faults(snapshot: Snapshot): AsyncIterable<AccountFault[]> {
    const sql = `SELECT from_account_id, id, amount, reversed FROM (
                   SELECT from_account_id, id,
                     sum(CASE direction WHEN 'in' THEN amount ELSE -amount END) AS amount,
                     sum(CASE direction WHEN 'in' THEN reversed_amount ELSE -reversed_amount END) AS reversed,
                     count(DISTINCT status) > 1 OR count(DISTINCT currency) > 1 AS is_unlike
                   FROM transfers GROUP BY from_account_id, id
                 ) AS moved WHERE amount <> 0 OR reversed <> 0 OR is_unlike
                 ORDER BY from_account_id, id`;
    type Row = Record<'from_account_id' | 'id' | 'amount' | 'reversed', string>;
    for await (const rows of snapshot.stream<Row>(sql, BATCH)) {
      yield rows.map(({ from_account_id: accountId, id, amount, reversed }) => ({
        accountId,
        fault: `${id}: its sides differ, by ${amount} moved and ${reversed} sent back`,
      }));
    }
  }
}
