import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AccountOwnedTable } from '../../../platform/database/account-owned-table';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { PaymentRequest } from '../domain/payment-request';
import { paymentRequestLifecycle } from '../domain/payment-request.lifecycle';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { paymentRequestListFilters, paymentRequestSchema } from './payment-request.schema';

/**
 * The millisecond after `updated_at`. The sum of a timestamptz and an interval depends on the session's time zone, which
 * a distributed PostgreSQL does not accept in an UPDATE; the sum of a timestamp does not.
 */
const NEXT_MS = "(updated_at AT TIME ZONE 'UTC' + interval '1 ms') AT TIME ZONE 'UTC'";

@Injectable()
export class TypeormPaymentRequestsRepository
  extends AccountOwnedTable<PaymentRequest, PaymentRequestFilter>
  implements PaymentRequestsRepository
{
  constructor(database: Database, dataSource: DataSource) {
    super(database, dataSource, paymentRequestSchema, paymentRequestListFilters);
  }

  findBySecrets(secrets: readonly string[]): Promise<PaymentRequest[]> {
    return this.select(this.database, 'WHERE secret = ANY($1)', [secrets]);
  }

  lockPending(tx: Tx, accountId: string, ids: readonly string[]): Promise<PaymentRequest[]> {
    const rest = `WHERE account_id = $1 AND id = ANY($2) AND status = 'pending' FOR UPDATE SKIP LOCKED`;
    return this.select(tx, rest, [accountId, ids]);
  }

  cancelPending(tx: Tx, accountId: string, now: Date): void {
    const { from, to } = paymentRequestLifecycle.transitions.cancel;
    tx.enqueue(
      `UPDATE payment_requests SET status = $3, processing_since = NULL,
         updated_at = greatest($4, ${NEXT_MS})
       WHERE account_id = $1 AND status = ANY($2)`,
      [accountId, [...from], to, now],
    );
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number) {
    const where = "status = 'pending' AND processing_since IS NULL";
    return this.findDueBy({ column: 'expires_at', where }, now, excludedIds, limit);
  }
}
