import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Backlog } from '../../../platform/database/account-owned-repository';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { UnappliedPayment } from '../domain/unapplied-payment';
import { UnappliedPaymentStatus } from '../domain/unapplied-payment.lifecycle';
import { UnappliedPaymentFilter, UnappliedPaymentsRepository } from '../domain/unapplied-payments.repository';
import { unappliedPaymentListFilters, unappliedPaymentSchema } from './unapplied-payment.schema';

@Injectable()
export class TypeormUnappliedPaymentsRepository
  extends AccountOwnedTable<UnappliedPayment, UnappliedPaymentFilter>
  implements UnappliedPaymentsRepository
{
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, unappliedPaymentSchema, unappliedPaymentListFilters);
  }

  async isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean> {
    const sql = 'SELECT FROM unapplied_payments WHERE account_id = $1 AND processor_reference = $2';
    return (await tx.read(sql, [accountId, processorReference])).length > 0;
  }

  async existsFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    const sql = 'SELECT FROM unapplied_payments WHERE account_id = $1 AND payment_request_id = $2 LIMIT 1';
    return (await this.database.query(sql, [accountId, paymentRequestId])).length > 0;
  }

  backlog(status: UnappliedPaymentStatus): Promise<Backlog> {
    return this.backlogOf({ status });
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'due_at' }, now, excludedIds, limit);
  }
}
