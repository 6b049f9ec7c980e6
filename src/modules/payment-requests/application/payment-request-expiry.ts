import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { AccountStore } from '../../accounts';
import { PaymentRequestStore } from './payment-request-store.service';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';

/** Cancels payment requests that have expired. */
@Injectable()
export class PaymentRequestExpiry implements DueItemTask {
  readonly name = 'payment request expiry';
  readonly wokenBy = ['payment_requests'];
  /** Other requests for the account wait for one batch. */
  readonly batchSize = 32;
  readonly concurrent = true;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly store: PaymentRequestStore,
    private readonly accounts: AccountStore,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  process(accountId: string, ids: readonly string[]): Promise<void> {
    const work = (tx: Tx, now: Date): Promise<void> =>
      this.accounts.update(tx, accountId, async (payee) => {
        for (const request of await this.repository.lockPending(tx, accountId, ids)) {
          request.expireIfDue(now);
          this.store.save(tx, { request, payee }, now);
        }
      });
    return this.database.transaction(work, accountId);
  }
}
