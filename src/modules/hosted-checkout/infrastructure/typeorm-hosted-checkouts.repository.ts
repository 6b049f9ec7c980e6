import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Database } from '../../../platform/database/database';
import { Table } from '../../../platform/database/table';
import { Tx, WriteTx } from '../../../platform/database/tx';
import { HostedCheckout } from '../domain/hosted-checkout';
import { HostedCheckoutsRepository } from '../domain/hosted-checkouts.repository';
import { hostedCheckoutSchema } from './hosted-checkout.schema';

@Injectable()
export class TypeormHostedCheckoutsRepository extends HostedCheckoutsRepository {
  private readonly table: Table<HostedCheckout>;
  private readonly selectOne: string;

  constructor(
    private readonly database: Database,
    dataSource: DataSource,
  ) {
    super();
    this.table = new Table(dataSource, hostedCheckoutSchema);
    this.selectOne = `SELECT ${this.table.columns} FROM hosted_checkouts
                      WHERE account_id = $1 AND payment_request_id = $2`;
  }

  async find(accountId: string, paymentRequestId: string): Promise<HostedCheckout | null> {
    const [row] = await this.database.query(this.selectOne, [accountId, paymentRequestId]);
    return row ? this.table.entity(row) : null;
  }

  async exists(tx: Tx, accountId: string, paymentRequestId: string): Promise<boolean> {
    return (await tx.read(this.selectOne, [accountId, paymentRequestId])).length > 0;
  }

  async lock(tx: Tx, accountId: string, paymentRequestId: string): Promise<HostedCheckout | null> {
    const row = await tx.lockRow(this.selectOne, [accountId, paymentRequestId]);
    return row && this.table.entity(row);
  }

  add(tx: Tx, checkout: HostedCheckout): void {
    const { sql, params } = this.table.insert(checkout);
    tx.enqueue(sql, params);
  }

  save(tx: Tx, checkout: HostedCheckout): void {
    const { sql, params } = this.table.update(checkout);
    tx.enqueue(sql, params);
  }

  makeDue(tx: WriteTx, accountId: string, paymentRequestId: string, now: Date): void {
    tx.enqueue(
      `UPDATE hosted_checkouts SET due_at = $3
       WHERE account_id = $1 AND payment_request_id = $2 AND status <> 'ended'`,
      [accountId, paymentRequestId, now],
    );
  }

  makeAllDue(tx: WriteTx, accountId: string, now: Date): void {
    tx.enqueue(`UPDATE hosted_checkouts SET due_at = $2 WHERE account_id = $1 AND status <> 'ended'`, [
      accountId,
      now,
    ]);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.database.query<{ accountId: string; id: string }>(
      `SELECT account_id AS "accountId", payment_request_id AS id FROM hosted_checkouts
       WHERE due_at <= $1 AND payment_request_id <> ALL($2) ORDER BY due_at LIMIT $3`,
      [now, excludedIds, limit],
    );
  }
}
