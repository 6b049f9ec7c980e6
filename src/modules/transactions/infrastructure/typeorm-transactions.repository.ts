import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { readCursorPage } from '../../../platform/database/cursor-page';
import { Database } from '../../../platform/database/database';
import { Snapshot } from '../../../platform/database/snapshot';
import { safeBigint, Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { AccountFault, AccountSums, Moved } from '../../ledger';
import { Transaction } from '../domain/transaction';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';
import { transactionSchema } from './transaction.schema';

/** Rows that a walk holds at a time. */
const BATCH = 1_000;

@Injectable()
export class TypeormTransactionsRepository extends TransactionsRepository {
  private readonly table: Table<Transaction>;
  private readonly rows: Repository<Transaction>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, transactionSchema);
    this.rows = dataSource.getRepository(transactionSchema);
  }

  async find(id: string, accountId: string | null): Promise<Transaction | null> {
    const within = accountId === null ? '' : 'AND account_id = $2';
    const sql = `SELECT ${this.table.columns} FROM transactions WHERE id = $1 ${within}`;
    return this.first(await this.database.read(sql, accountId === null ? [id] : [id, accountId]));
  }

  list({ from, to, ...equal }: TransactionFilter, request: CursorRequest): Promise<CursorPage<Transaction>> {
    return readCursorPage(this.rows.createQueryBuilder('t'), { equal, from, to }, request);
  }

  async lock(tx: Tx, accountId: string, id: string): Promise<Transaction | null> {
    const sql = `SELECT ${this.table.columns} FROM transactions WHERE account_id = $1 AND id = $2`;
    const row = await tx.lockRow(sql, [accountId, id]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, transaction: Transaction): void {
    tx.insert(this.table.insert(transaction));
  }

  save(tx: Tx, transaction: Transaction): void {
    const { sql, params } = this.table.update(transaction);
    tx.write(sql, params);
  }

  releaseRefund(tx: Tx, accountId: string, id: string, amount: number): void {
    const sql = 'UPDATE transactions SET refunded = refunded - $3 WHERE account_id = $1 AND id = $2';
    tx.write(sql, [accountId, id, amount]);
  }

  async lockPending(tx: Tx, accountId: string): Promise<Transaction[]> {
    const sql = `SELECT ${this.table.columns} FROM transactions
                 WHERE account_id = $1 AND status = 'pending' ORDER BY id FOR UPDATE`;
    return this.entities(await tx.read(sql, [accountId]));
  }

  async lockDue(tx: Tx, accountId: string, now: Date, limit: number): Promise<Transaction[]> {
    const sql = `SELECT ${this.table.columns} FROM transactions
                 WHERE account_id = $1 AND status = 'pending' AND settles_at <= $2
                 ORDER BY settles_at, id LIMIT $3 FOR UPDATE`;
    return this.entities(await tx.read(sql, [accountId, now, limit]));
  }

  async accountsWithDue(now: Date, except: readonly string[], limit: number): Promise<string[]> {
    const sql = `SELECT account_id FROM transactions
                 WHERE status = 'pending' AND settles_at <= $1 AND account_id <> ALL ($2)
                 GROUP BY account_id ORDER BY min(settles_at) LIMIT $3`;
    const rows = await this.database.read<{ account_id: string }>(sql, [now, except, limit]);
    return rows.map((row) => row.account_id);
  }

  async takeToSend(now: Date): Promise<Transaction | null> {
    const sql = `UPDATE transactions SET
                   sent_at = coalesce(sent_at, $1::timestamptz),
                   send_at = $1::timestamptz
                     + least(greatest(($1::timestamptz - created_at) / 2, interval '1 minute'), interval '6 hours')
                 WHERE (account_id, id) IN (
                   SELECT account_id, id FROM transactions WHERE send_at <= $1::timestamptz
                   ORDER BY send_at LIMIT 1 FOR UPDATE SKIP LOCKED
                 ) RETURNING ${this.table.columns}`;
    return this.first(await this.database.read(sql, [now]));
  }

  async *sums(snapshot: Snapshot): AsyncIterable<AccountSums[]> {
    const sql = `SELECT account_id,
                   coalesce(sum(CASE type WHEN 'refund' THEN -amount ELSE amount END) FILTER (WHERE status = 'succeeded'), 0) AS posted,
                   coalesce(sum(amount) FILTER (WHERE status = 'pending' AND type = 'refund'), 0) AS held,
                   coalesce(sum(amount) FILTER (WHERE status = 'pending' AND type <> 'refund'), 0) AS pending_in
                 FROM transactions GROUP BY account_id ORDER BY account_id COLLATE "C"`;
    for await (const rows of snapshot.stream<Record<'account_id' | 'posted' | 'held' | 'pending_in', string>>(
      sql,
      BATCH,
    )) {
      yield rows.map((row) => ({
        accountId: row.account_id,
        // A sum that was tampered with may be beyond exactness; it is wrong by more than that.
        posted: Number(row.posted),
        held: Number(row.held),
        pendingIn: Number(row.pending_in),
      }));
    }
  }

  async *settled(snapshot: Snapshot): AsyncIterable<Moved[]> {
    const sql = `SELECT account_id, id, CASE type WHEN 'refund' THEN -amount ELSE amount END AS amount, currency
                 FROM transactions WHERE status = 'succeeded' ORDER BY account_id COLLATE "C", id COLLATE "C"`;
    for await (const rows of snapshot.stream<Record<'account_id' | 'id' | 'amount' | 'currency', string>>(
      sql,
      BATCH,
    )) {
      yield rows.map((row) => ({
        accountId: row.account_id,
        transactionId: row.id,
        amount: safeBigint.from(row.amount),
        currency: row.currency,
      }));
    }
  }

  async *faults(snapshot: Snapshot): AsyncIterable<AccountFault[]> {
    const sql = `SELECT account_id, id, coalesce(p.refunded, 0) AS said, coalesce(r.refunded, 0) AS named
                 FROM (SELECT account_id, id, CASE type WHEN 'payment' THEN refunded END AS refunded
                       FROM transactions WHERE refunded > 0) AS p
                 FULL JOIN (SELECT account_id, source_transaction_id AS id, sum(amount) AS refunded FROM transactions
                            WHERE source_transaction_id IS NOT NULL AND status IN ('pending', 'succeeded')
                            GROUP BY account_id, source_transaction_id) AS r USING (account_id, id)
                 WHERE p.refunded IS DISTINCT FROM r.refunded ORDER BY account_id, id`;
    for await (const rows of snapshot.stream<Record<'account_id' | 'id' | 'said' | 'named', string>>(
      sql,
      BATCH,
    )) {
      yield rows.map(({ account_id: accountId, id, said, named }) => ({
        accountId,
        fault: `${id}: the refunds that name it come to ${named}, it says ${said}`,
      }));
    }
  }

  private entities(rows: ObjectLiteral[]): Transaction[] {
    return rows.map((row) => this.table.entity(row));
  }

  private first(rows: ObjectLiteral[]): Transaction | null {
    return rows[0] ? this.table.entity(rows[0]) : null;
  }
}
