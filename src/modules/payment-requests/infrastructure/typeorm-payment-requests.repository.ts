import { Injectable } from '@nestjs/common';
import { DataSource, ObjectLiteral, Repository } from 'typeorm';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { readCursorPage } from '../../../platform/database/cursor-page';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx } from '../../../platform/database/tx';
import { MailKind, PaymentRequest } from '../domain/payment-request';
import { paymentRequestLifecycle } from '../domain/payment-request.lifecycle';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { paymentRequestSchema } from './payment-request.schema';

/** What a provider has the money of on its way does not expire (see PaymentRequest.isExpired). */
const NOT_PROCESSED = "(checkout->>'state') IS DISTINCT FROM 'processing'";

@Injectable()
export class TypeormPaymentRequestsRepository extends PaymentRequestsRepository {
  private readonly table: Table<PaymentRequest>;
  private readonly rows: Repository<PaymentRequest>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, paymentRequestSchema);
    this.rows = dataSource.getRepository(paymentRequestSchema);
  }

  async find(id: string, accountId: string | null): Promise<PaymentRequest | null> {
    const within = accountId === null ? '' : 'AND account_id = $2';
    const sql = `SELECT ${this.table.columns} FROM payment_requests WHERE id = $1 ${within}`;
    return this.first(await this.database.read(sql, accountId === null ? [id] : [id, accountId]));
  }

  async findBySecret(secret: string): Promise<PaymentRequest | null> {
    const sql = `SELECT ${this.table.columns} FROM payment_requests WHERE secret = $1`;
    return this.first(await this.database.read(sql, [secret]));
  }

  list(
    { from, to, customerEmail, idEnd, ...equal }: PaymentRequestFilter,
    request: CursorRequest,
  ): Promise<CursorPage<PaymentRequest>> {
    const filter = { equal, ignoringCase: { customerEmail }, from, to };
    const query = this.rows.createQueryBuilder('p');
    if (idEnd !== undefined) query.where('right(p.id, 10) = :idEnd', { idEnd });
    return readCursorPage(query, filter, request);
  }

  async lock(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null> {
    const sql = `SELECT ${this.table.columns} FROM payment_requests WHERE account_id = $1 AND id = $2`;
    const row = await tx.lockRow(sql, [accountId, id]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, request: PaymentRequest): void {
    const { sql, params } = this.table.insert(request);
    tx.write(sql, params);
  }

  save(tx: Tx, request: PaymentRequest): void {
    const { sql, params } = this.table.update(request);
    tx.write(sql, params);
  }

  cancelPending(tx: Tx, accountId: string, now: Date): void {
    const { from, to } = paymentRequestLifecycle.moves.cancel;
    tx.write(
      `UPDATE payment_requests SET status = $3, updated_at = greatest($4, updated_at + interval '1 ms'),
         checkout_due_at = CASE WHEN checkout_due_at IS NULL THEN NULL ELSE $4 END
       WHERE account_id = $1 AND status = ANY($2)`,
      [accountId, [...from], to, now],
    );
  }

  async lockExpired(tx: Tx, accountId: string, now: Date, limit: number): Promise<PaymentRequest[]> {
    const sql = `SELECT ${this.table.columns} FROM payment_requests
                 WHERE account_id = $1 AND status = 'pending' AND expires_at <= $2 AND ${NOT_PROCESSED}
                 ORDER BY expires_at, id LIMIT $3 FOR UPDATE SKIP LOCKED`;
    const rows = await tx.read(sql, [accountId, now, limit]);
    return rows.map((row) => this.table.entity(row));
  }

  async takeCheckout(now: Date, until: Date): Promise<PaymentRequest | null> {
    const sql = `UPDATE payment_requests SET checkout_due_at = $2
                 WHERE (account_id, id) IN (
                   SELECT account_id, id FROM payment_requests WHERE checkout_due_at <= $1
                   ORDER BY checkout_due_at LIMIT 1 FOR UPDATE SKIP LOCKED
                 ) RETURNING ${this.table.columns}`;
    return this.first(await this.database.read(sql, [now, until]));
  }

  async accountsWithExpired(now: Date, limit: number): Promise<string[]> {
    const sql = `SELECT account_id FROM payment_requests
                 WHERE status = 'pending' AND expires_at <= $1 AND ${NOT_PROCESSED}
                 GROUP BY account_id ORDER BY min(expires_at) LIMIT $2`;
    const rows = await this.database.read<{ account_id: string }>(sql, [now, limit]);
    return rows.map((row) => row.account_id);
  }

  async lockMailDue(tx: Tx, accountId: string, now: Date, limit: number): Promise<PaymentRequest[]> {
    const sql = `SELECT ${this.table.columns} FROM payment_requests WHERE account_id = $1 AND mail_due_at <= $2
                 ORDER BY mail_due_at, id LIMIT $3 FOR UPDATE SKIP LOCKED`;
    const rows = await tx.read(sql, [accountId, now, limit]);
    return rows.map((row) => this.table.entity(row));
  }

  async accountsWithMailDue(now: Date, limit: number): Promise<string[]> {
    const sql = `SELECT account_id FROM payment_requests WHERE mail_due_at <= $1
                 GROUP BY account_id ORDER BY min(mail_due_at) LIMIT $2`;
    const rows = await this.database.read<{ account_id: string }>(sql, [now, limit]);
    return rows.map((row) => row.account_id);
  }

  noteMailed(tx: Tx, accountId: string, id: string, kind: MailKind, now: Date): void {
    const column = kind === 'request' ? 'request_mailed_at' : 'receipt_mailed_at';
    tx.write(`UPDATE payment_requests SET ${column} = $3 WHERE account_id = $1 AND id = $2`, [
      accountId,
      id,
      now,
    ]);
  }

  private first(rows: ObjectLiteral[]): PaymentRequest | null {
    return rows[0] ? this.table.entity(rows[0]) : null;
  }
}
