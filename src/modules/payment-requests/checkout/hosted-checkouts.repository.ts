import { Injectable } from '@nestjs/common';
import { DataSource, EntitySchema, Not, Repository } from 'typeorm';
import { Database, Tx, WriteTx } from '../../../platform/database/database';
import { type DueRow, findDueRows } from '../../../platform/database/due-rows';
import { enqueueWrite } from '../../../platform/database/repositories';
import { Table } from '../../../platform/database/table';
import { HostedCheckout, hostedCheckoutLifecycle } from './hosted-checkout';

export const hostedCheckoutSchema = new EntitySchema<HostedCheckout>({
  name: 'HostedCheckout',
  target: HostedCheckout,
  tableName: 'hosted_checkouts',
  columns: {
    accountId: { name: 'account_id', type: 'text', primary: true, update: false },
    paymentRequestId: { name: 'payment_request_id', type: 'text', primary: true, update: false },
    attempt: { type: 'integer' },
    processorReference: { name: 'processor_reference', type: 'text', nullable: true },
    status: { type: 'text' },
    title: { type: 'text' },
    expiresAt: { name: 'expires_at', type: 'timestamptz', precision: 3 },
    dueAt: { name: 'due_at', type: 'timestamptz', precision: 3, nullable: true },
    createdAt: { name: 'created_at', type: 'timestamptz', precision: 3, update: false },
    updatedAt: { name: 'updated_at', type: 'timestamptz', precision: 3 },
  },
  checks: [{ expression: hostedCheckoutLifecycle.sqlCheck('status') }],
  indices: [{ name: 'hosted_checkouts_due', columns: ['dueAt'], where: 'due_at IS NOT NULL' }],
});

@Injectable()
export class HostedCheckoutsRepository {
  private readonly table: Table<HostedCheckout>;
  private readonly checkouts: Repository<HostedCheckout>;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    this.table = new Table(dataSource, hostedCheckoutSchema);
    this.checkouts = database.repository(hostedCheckoutSchema);
  }

  find(accountId: string, paymentRequestId: string): Promise<HostedCheckout | null> {
    return this.checkouts.findOneBy({ accountId, paymentRequestId });
  }

  /** In SQL, since a lock by `lockRow` keeps a payment in its group. */
  async lock(tx: Tx, accountId: string, paymentRequestId: string): Promise<HostedCheckout | null> {
    const sql = `SELECT ${this.table.columns} FROM hosted_checkouts WHERE account_id = $1 AND payment_request_id = $2`;
    const row = await tx.lockRow(sql, [accountId, paymentRequestId]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, checkout: HostedCheckout): void {
    enqueueWrite(tx, this.checkouts.createQueryBuilder().insert().values(checkout));
  }

  save(tx: Tx, checkout: HostedCheckout): void {
    const { accountId, paymentRequestId } = checkout;
    const update = this.checkouts.createQueryBuilder().update().set(checkout);
    enqueueWrite(tx, update.where({ accountId, paymentRequestId }));
  }

  /** Makes the live checkouts of an account, or that of one payment request, due for a status check. */
  makeDue(
    tx: WriteTx,
    of: { readonly accountId: string; readonly paymentRequestId?: string },
    now: Date,
  ): void {
    const update = this.checkouts.createQueryBuilder().update().set({ dueAt: now });
    enqueueWrite(tx, update.where({ ...of, status: Not('ended') }));
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueRow[]> {
    const due = { table: 'hosted_checkouts', dueAt: 'due_at', id: 'payment_request_id' };
    return findDueRows(this.database, due, now, excludedIds, limit);
  }
}
