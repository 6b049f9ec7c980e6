import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { Table } from '../../../../platform/database/table';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { PAYMENT_EMAIL_KINDS, PaymentEmail, PaymentEmailKind } from '../domain/payment-email';
import { PaymentEmailsRepository } from '../domain/payment-emails.repository';
import { paymentEmailSchema } from './payment-email.schema';

@Injectable()
export class TypeormPaymentEmailsRepository extends PaymentEmailsRepository {
  private readonly table: Table<PaymentEmail>;
  /** Selects one email. */
  private readonly selection: string;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, paymentEmailSchema);
    this.selection = `SELECT ${this.table.columns} FROM payment_emails
       WHERE account_id = $1 AND payment_request_id = $2 AND kind = $3`;
  }

  async find(
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
  ): Promise<PaymentEmail | null> {
    const [row] = await this.database.query(this.selection, [accountId, paymentRequestId, kind]);
    return row ? this.table.entity(row) : null;
  }

  async lock(
    tx: Tx,
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
  ): Promise<PaymentEmail | null> {
    const [row] = await tx.query(`${this.selection} FOR UPDATE`, [accountId, paymentRequestId, kind]);
    return row ? this.table.entity(row) : null;
  }

  add(tx: WriteTx, email: PaymentEmail): void {
    const { sql, params } = this.table.insert(email);
    tx.enqueue(sql, params);
  }

  repeat(tx: WriteTx, { accountId, paymentRequestId, kind, dueAt, traceparent }: PaymentEmail): void {
    tx.enqueue(
      `UPDATE payment_emails SET due_at = $4, traceparent = $5
       WHERE account_id = $1 AND payment_request_id = $2 AND kind = $3`,
      [accountId, paymentRequestId, kind, dueAt, traceparent],
    );
  }

  /** A request may have one email of each kind. The inner bound lets the query read no more of the index than it needs. */
  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.database.query<{ accountId: string; id: string }>(
      `SELECT account_id AS "accountId", payment_request_id AS id FROM (
         SELECT account_id, payment_request_id, due_at FROM payment_emails
         WHERE due_at <= $1 AND payment_request_id <> ALL($2) ORDER BY due_at LIMIT $4
       ) AS earliest
       GROUP BY account_id, payment_request_id ORDER BY min(due_at) LIMIT $3`,
      [now, excludedIds, limit, limit * PAYMENT_EMAIL_KINDS.length],
    );
  }

  claimDue(tx: Tx, accountId: string, paymentRequestIds: readonly string[], now: Date) {
    return tx.query<Pick<PaymentEmail, 'paymentRequestId' | 'kind' | 'traceparent' | 'sentAt'>>(
      `UPDATE payment_emails SET due_at = NULL
       WHERE account_id = $1 AND payment_request_id = ANY($2) AND due_at <= $3
       RETURNING payment_request_id AS "paymentRequestId", kind, traceparent, sent_at AS "sentAt"`,
      [accountId, paymentRequestIds, now],
    );
  }

  markSent(
    tx: WriteTx,
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
    now: Date,
  ): void {
    tx.enqueue(
      `UPDATE payment_emails SET sent_at = $4
       WHERE account_id = $1 AND payment_request_id = $2 AND kind = $3`,
      [accountId, paymentRequestId, kind, now],
    );
  }
}
