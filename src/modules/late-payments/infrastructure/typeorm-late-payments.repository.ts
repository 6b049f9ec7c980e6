import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { readCursorPage } from '../../../platform/database/cursor-page';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { LatePayment } from '../domain/late-payment';
import { LatePaymentFilter, LatePaymentsRepository } from '../domain/late-payments.repository';
import { latePaymentSchema } from './late-payment.schema';

@Injectable()
export class TypeormLatePaymentsRepository extends LatePaymentsRepository {
  private readonly table: Table<LatePayment>;
  private readonly rows: Repository<LatePayment>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, latePaymentSchema);
    this.rows = dataSource.getRepository(latePaymentSchema);
  }

  async find(id: string): Promise<LatePayment | null> {
    return this.first(
      await this.database.read(`SELECT ${this.table.columns} FROM late_payments WHERE id = $1`, [id]),
    );
  }

  list(filter: LatePaymentFilter, request: CursorRequest): Promise<CursorPage<LatePayment>> {
    return readCursorPage(this.rows.createQueryBuilder('l'), { equal: { ...filter } }, request);
  }

  async lock(tx: Tx, accountId: string, id: string): Promise<LatePayment | null> {
    const sql = `SELECT ${this.table.columns} FROM late_payments WHERE account_id = $1 AND id = $2`;
    const row = await tx.lockRow(sql, [accountId, id]);
    return row && this.table.entity(row);
  }

  async findByReference(tx: Tx, accountId: string, reference: string): Promise<LatePayment | null> {
    const sql = `SELECT ${this.table.columns} FROM late_payments
                 WHERE account_id = $1 AND processor_reference = $2`;
    return this.first(await tx.read(sql, [accountId, reference]));
  }

  async areThereFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    const sql = 'SELECT FROM late_payments WHERE account_id = $1 AND payment_id = $2 LIMIT 1';
    return (await this.database.read(sql, [accountId, paymentRequestId])).length > 0;
  }

  add(tx: Tx, payment: LatePayment): void {
    const { sql, params } = this.table.insert(payment);
    tx.write(sql, params);
  }

  save(tx: Tx, payment: LatePayment): void {
    const { sql, params } = this.table.update(payment);
    tx.write(sql, params);
  }

  async due(now: Date, limit: number): Promise<LatePayment[]> {
    const sql = `SELECT ${this.table.columns} FROM late_payments WHERE due_at <= $1
                 ORDER BY due_at, id LIMIT $2`;
    const rows = await this.database.read(sql, [now, limit]);
    return rows.map((row) => this.table.entity(row));
  }

  private first(rows: ObjectLiteral[]): LatePayment | null {
    return rows[0] ? this.table.entity(rows[0]) : null;
  }
}
