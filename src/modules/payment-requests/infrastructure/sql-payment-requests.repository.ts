import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema } from 'typeorm';
import {
  amountColumns,
  accountOwnedColumns,
  AccountOwnedTable,
} from '../../../platform/database/account-owned-table';
import { Database, Tx } from '../../../platform/database/database';
import { ListFilters, listIndices } from '../../../platform/database/lists/list-filters';
import { eventCount } from '../../../platform/database/table';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { PaymentRequest, paymentRequestLifecycle } from '../domain/payment-request';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';

const listFilters: ListFilters = {
  prefix: 'pay',
  table: 'payment_requests',
  keys: {
    customerEmail: { column: 'customer_email', expression: (email) => `lower(${email})` },
    reference: { column: 'reference', nullable: true },
  },
  enums: { status: { column: 'status', values: paymentRequestLifecycle.states } },
  selective: { idSuffix: { column: 'id', expression: (id) => `right(${id}, 10)` } },
  searched: 'reference',
  amounts: true,
};

export const paymentRequestSchema = new EntitySchema<PaymentRequest>({
  name: 'PaymentRequest',
  target: PaymentRequest,
  tableName: 'payment_requests',
  columns: {
    ...accountOwnedColumns,
    ...amountColumns,
    customerEmail: { name: 'customer_email', type: 'text', update: false },
    reference: { type: 'text', nullable: true, update: false },
    metadata: { type: 'jsonb', default: {}, update: false },
    returnUrl: { name: 'return_url', type: 'text', nullable: true, update: false },
    cancelUrl: { name: 'cancel_url', type: 'text', nullable: true, update: false },
    splits: { type: 'jsonb', nullable: true },
    secret: { type: 'text', update: false },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3, update: false },
    declines: { type: 'integer', default: 0 },
    attempts: { type: 'jsonb', default: [] },
    transactionId: { name: 'transaction_id', type: 'text', nullable: true },
    processingSince: { name: 'processing_since', type: 'timestamptz', precision: 3, nullable: true },
    settlesAt: { name: 'settles_at', type: 'timestamptz', precision: 3, nullable: true, update: false },
    dueOutcome: { name: 'due_outcome', type: 'text', nullable: true, update: false },
    eventCount,
  },
  checks: [
    { expression: paymentRequestLifecycle.sqlCheck('status') },
    { expression: 'amount BETWEEN 1 AND 9007199254740991' },
  ],
  indices: [
    ...listIndices(listFilters),
    // An expression, which TypeORM cannot declare.
    { name: 'payment_requests_id_suffix', columns: ['id'], synchronize: false },
    { name: 'payment_requests_secret', columns: ['secret'] },
    { name: 'payment_requests_due', columns: ['expiresAt', 'accountId'], where: "status = 'pending'" },
    {
      name: 'payment_requests_settling',
      columns: ['settlesAt', 'accountId'],
      where: "status = 'pending' AND settles_at IS NOT NULL",
    },
    { name: 'payment_requests_pending', columns: ['accountId'], where: "status = 'pending'" },
  ],
});

/** In SQL, since requests are created and settled in groups, listed with a cursor, and found when they are due. */
@Injectable()
export class SqlPaymentRequestsRepository
  extends AccountOwnedTable<PaymentRequest, PaymentRequestFilter>
  implements PaymentRequestsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, paymentRequestSchema, listFilters, events);
  }

  async findIn(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null> {
    const [found] = await this.select(tx, 'WHERE account_id = $1 AND id = $2', [accountId, id]);
    return found ?? null;
  }

  findBySecrets(secrets: readonly string[]): Promise<PaymentRequest[]> {
    return this.select(this.database, 'WHERE secret = ANY($1)', [secrets]);
  }

  async lockPending(tx: Tx, accountId: string, ids: readonly string[]): Promise<PaymentRequest[]> {
    const found = await this.lockFree(tx, accountId, ids);
    return found.filter(({ status }) => status === 'pending');
  }

  lockAllPending(tx: Tx, accountId: string, limit: number): Promise<PaymentRequest[]> {
    const rest = `WHERE account_id = $1 AND status = 'pending' ORDER BY id LIMIT $2 FOR UPDATE`;
    return this.select(tx, rest, [accountId, limit]);
  }

  findSimulated(now: Date, excludedIds: readonly string[], limit: number) {
    const where = "status = 'pending' AND settles_at IS NOT NULL";
    return this.findDueBy({ column: 'settles_at', where }, now, excludedIds, limit);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    const where = "status = 'pending' AND processing_since IS NULL";
    return this.findDueBy({ column: 'expires_at', where }, now, excludedIds, limit);
  }
}
