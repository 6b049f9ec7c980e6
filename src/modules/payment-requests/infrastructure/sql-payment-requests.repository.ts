import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { EventRecorder } from '../../../platform/events/event-recorder';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { paymentRequestListFilters, paymentRequestSchema } from './payment-request.schema';

/** In SQL, since requests are created and settled in groups, listed with a cursor, and found when they are due. */
@Injectable()
export class SqlPaymentRequestsRepository
  extends AccountOwnedTable<PaymentRequest, PaymentRequestFilter>
  implements PaymentRequestsRepository
{
  constructor(database: Database, dataSource: DataSource, events: EventRecorder) {
    super(database, dataSource, paymentRequestSchema, paymentRequestListFilters, events);
  }

  findBySecrets(secrets: readonly string[]): Promise<PaymentRequest[]> {
    return this.select(this.database, 'WHERE secret = ANY($1)', [secrets]);
  }

  lockPending(tx: Tx, accountId: string, ids: readonly string[]): Promise<PaymentRequest[]> {
    const rest = `WHERE account_id = $1 AND id = ANY($2) AND status = 'pending' ORDER BY id`;
    return this.lockFree(tx, rest, [accountId, ids]);
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
