import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { Backlog } from '../../../../platform/database/account-owned-repository';
import { AccountOwnedTable } from '../../../../platform/database/account-owned-table';
import { Database } from '../../../../platform/database/database';
import { Tx } from '../../../../platform/database/tx';
import { EventRecorder } from '../../../../platform/events/event-recorder';
import { UnappliedPayment } from '../domain/unapplied-payment';
import { UnappliedPaymentStatus } from '../domain/unapplied-payment.lifecycle';
import { UnappliedPaymentFilter, UnappliedPaymentsRepository } from '../domain/unapplied-payments.repository';
import { unappliedPaymentListFilters, unappliedPaymentSchema } from './unapplied-payment.schema';

@Injectable()
export class TypeormUnappliedPaymentsRepository
  extends AccountOwnedTable<UnappliedPayment, UnappliedPaymentFilter>
  implements UnappliedPaymentsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, unappliedPaymentSchema, unappliedPaymentListFilters, events);
  }

  async isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean> {
    const payments = tx.repository(unappliedPaymentSchema);
    return (await payments.findOneBy({ accountId, processorReference })) !== null;
  }

  async existsFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    const payments = this.database.repository(unappliedPaymentSchema);
    return (await payments.findOneBy({ accountId, paymentRequestId })) !== null;
  }

  backlog(status: UnappliedPaymentStatus): Promise<Backlog> {
    return this.backlogOf({ status });
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    return this.findDueBy({ column: 'due_at' }, now, excludedIds, limit);
  }
}
