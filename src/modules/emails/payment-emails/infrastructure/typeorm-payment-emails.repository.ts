import { Injectable } from '@nestjs/common';
import { DataSource, Repository } from 'typeorm';
import { Database } from '../../../../platform/database/database';
import { enqueueWrite } from '../../../../platform/database/repositories';
import { Table } from '../../../../platform/database/table';
import { Tx, WriteTx } from '../../../../platform/database/tx';
import { PAYMENT_EMAIL_KINDS, PaymentEmail, PaymentEmailKind } from '../domain/payment-email';
import { PaymentEmailsRepository } from '../domain/payment-emails.repository';
import { paymentEmailSchema } from './payment-email.schema';

/** The due emails are SQL, since they are grouped by request and claimed by a conditional update. */
@Injectable()
export class TypeormPaymentEmailsRepository extends PaymentEmailsRepository {
  private readonly table: Table<PaymentEmail>;
  private readonly emails: Repository<PaymentEmail>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, paymentEmailSchema);
    this.emails = database.repository(paymentEmailSchema);
  }

  find(accountId: string, paymentRequestId: string, kind: PaymentEmailKind): Promise<PaymentEmail | null> {
    return this.emails.findOneBy({ accountId, paymentRequestId, kind });
  }

  lock(
    tx: Tx,
    accountId: string,
    paymentRequestId: string,
    kind: PaymentEmailKind,
  ): Promise<PaymentEmail | null> {
    const where = { accountId, paymentRequestId, kind };
    return tx.repository(paymentEmailSchema).findOne({ where, lock: { mode: 'pessimistic_write' } });
  }

  /** Each payment request adds one, so the statement is made only once. */
  add(tx: WriteTx, email: PaymentEmail): void {
    const { sql, params } = this.table.insert(email);
    tx.enqueue(sql, params);
  }

  repeat(tx: WriteTx, { accountId, paymentRequestId, kind, dueAt, traceparent }: PaymentEmail): void {
    const update = this.emails.createQueryBuilder().update().set({ dueAt, traceparent });
    enqueueWrite(tx, update.where({ accountId, paymentRequestId, kind }));
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
    const update = this.emails.createQueryBuilder().update().set({ sentAt: now });
    enqueueWrite(tx, update.where({ accountId, paymentRequestId, kind }));
  }
}
