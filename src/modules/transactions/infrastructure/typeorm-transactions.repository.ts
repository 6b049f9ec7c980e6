import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { readCursorPage } from '../../../platform/database/cursor-page';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { Transaction } from '../domain/transaction';
import { transactionLifecycle } from '../domain/transaction.lifecycle';
import { TransactionFilter, TransactionsRepository } from '../domain/transactions.repository';
import { transactionSchema } from './transaction.schema';

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
    const sql = `SELECT ${this.table.columns} FROM transactions WHERE account_id = $1 AND id = $2 FOR UPDATE`;
    return this.first(await tx.read(sql, [accountId, id]));
  }

  add(tx: Tx, transaction: Transaction): void {
    const { sql, params } = this.table.insert(transaction);
    tx.write(sql, params);
  }

  save(tx: Tx, transaction: Transaction): void {
    const { sql, params } = this.table.update(transaction);
    tx.write(sql, params);
  }

  cancelPending(tx: Tx, accountId: string, now: Date): void {
    const { from, to } = transactionLifecycle.moves.cancel;
    tx.write(
      `UPDATE transactions SET status = $3, updated_at = greatest($4, updated_at + interval '1 ms')
       WHERE account_id = $1 AND status = ANY($2)`,
      [accountId, [...from], to, now],
    );
  }

  private first(rows: ObjectLiteral[]): Transaction | null {
    return rows[0] ? this.table.entity(rows[0]) : null;
  }
}
