import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, Repository } from 'typeorm';
import { Database, Tx, WriteTx } from '../../platform/database/database';
import { LeasedRows } from '../../platform/database/leased-rows';
import { enqueueWrite } from '../../platform/database/repositories';
import { Table } from '../../platform/database/table';
import { PaymentEmail, PaymentEmailKind, SecurityEmail } from './due-emails';

export const paymentEmailSchema = new EntitySchema<PaymentEmail>({
  name: 'PaymentEmail',
  target: PaymentEmail,
  tableName: 'payment_emails',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true },
    paymentRequestId: { name: 'payment_request_id', type: 'text', primary: true },
    kind: { type: 'text', primary: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    attempts: { type: 'integer', default: 0 },
    traceparent: { type: 'text', nullable: true },
    sentAt: { name: 'sent_at', type: 'timestamptz', precision: 3, nullable: true },
  },
  checks: [{ expression: "kind IN ('request', 'receipt')" }],
  indices: [
    { name: 'payment_emails_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
    {
      name: 'payment_emails_failed',
      columns: ['paymentRequestId'],
      where: 'due_at IS NULL AND attempts > 0',
    },
  ],
});

export const securityEmailSchema = new EntitySchema<SecurityEmail>({
  name: 'SecurityEmail',
  target: SecurityEmail,
  tableName: 'security_emails',
  columns: {
    id: { type: 'text', primary: true },
    kind: { type: 'text' },
    emailKey: { name: 'email_key', type: 'text' },
    subjectId: { name: 'subject_id', type: 'text', nullable: true },
    language: { type: 'text', nullable: true },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    attempts: { type: 'integer', default: 0 },
    traceparent: { type: 'text', nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3 },
  },
  checks: [
    {
      expression:
        "kind IN ('password_reset', 'password_changed', 'email_changed', 'email_verification', 'invitation')",
    },
  ],
  indices: [
    { name: 'security_emails_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' },
    { name: 'security_emails_created', columns: ['createdAt'] },
  ],
});

/** How many old emails are deleted at a time. */
const DELETE_BATCH = 100;

const COLUMNS = { dueAt: 'due_at', attempts: 'attempts' };
const DONE = { dueAt: null, attempts: 0 };

/** An item that is due is one email: its id is the kind and the payment request. */
interface PaymentEmailItem {
  readonly accountId: string;
  readonly id: string;
}

@Injectable()
export class PaymentEmailsRepository extends LeasedRows {
  private readonly table: Table<PaymentEmail>;
  private readonly emails: Repository<PaymentEmail>;

  constructor(database: Database, dataSource: DataSource) {
    super(database, { table: 'payment_emails', ...COLUMNS, id: "kind || ' ' || payment_request_id" });
    this.table = new Table(dataSource, paymentEmailSchema);
    this.emails = database.repository(paymentEmailSchema);
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

  /** Makes an email due that was sent before, is waiting or was given up. */
  repeat(tx: WriteTx, email: PaymentEmail): void {
    const { accountId, paymentRequestId, kind, dueAt, attempts, traceparent } = email;
    const update = this.emails.createQueryBuilder().update().set({ dueAt, attempts, traceparent });
    enqueueWrite(tx, update.where({ accountId, paymentRequestId, kind }));
  }

  async claim({ accountId, id }: PaymentEmailItem, now: Date, until: Date): Promise<PaymentEmail | null> {
    const [kind, paymentRequestId] = id.split(' ') as [string, string];
    const key = { account_id: accountId, payment_request_id: paymentRequestId, kind };
    const row = await this.claimRow(key, now, until);
    return row && this.table.entity(row);
  }

  release(email: PaymentEmail, until: Date, dueAt: Date | null): Promise<void> {
    return this.releaseRow(keyColumns(email), until, { dueAt, attempts: email.attempts });
  }

  /** One that was sent is done, also if it was to be repeated in the meantime. */
  async complete(email: PaymentEmail, until: Date, sentAt: Date | null): Promise<void> {
    const { accountId, paymentRequestId, kind } = email;
    if (sentAt === null) await this.releaseRow(keyColumns(email), until, DONE);
    else await this.emails.update({ accountId, paymentRequestId, kind }, { ...DONE, sentAt });
  }
}

function keyColumns({ accountId, paymentRequestId, kind }: PaymentEmail): Record<string, string> {
  return { account_id: accountId, payment_request_id: paymentRequestId, kind };
}

/** Emails about logins, whose rows are deleted when they are sent. */
@Injectable()
export class SecurityEmailsRepository extends LeasedRows {
  private readonly table: Table<SecurityEmail>;
  private readonly emails: Repository<SecurityEmail>;

  constructor(database: Database, dataSource: DataSource) {
    // They belong to no account.
    super(database, { table: 'security_emails', ...COLUMNS, accountId: 'id' });
    this.table = new Table(dataSource, securityEmailSchema);
    this.emails = database.repository(securityEmailSchema);
  }

  add(tx: WriteTx, email: SecurityEmail): void {
    enqueueWrite(tx, this.emails.createQueryBuilder().insert().values(email));
  }

  async claim({ id }: { readonly id: string }, now: Date, until: Date): Promise<SecurityEmail | null> {
    const row = await this.claimRow({ id }, now, until);
    return row && this.table.entity(row);
  }

  release({ id, attempts }: SecurityEmail, until: Date, dueAt: Date | null): Promise<void> {
    return this.releaseRow({ id }, until, { dueAt, attempts });
  }

  async complete({ id }: SecurityEmail): Promise<void> {
    await this.emails.delete({ id });
  }

  /** Deletes a bounded number of emails that were created before then. @returns whether there may be more */
  async deleteOld(before: Date): Promise<boolean> {
    const sql = `DELETE FROM security_emails WHERE id IN (
                   SELECT id FROM security_emails WHERE created_at < $1 LIMIT $2
                 ) RETURNING id`;
    return (await this.database.query(sql, [before, DELETE_BATCH])).length === DELETE_BATCH;
  }
}
