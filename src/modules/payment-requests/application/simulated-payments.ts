import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { PaymentRequestSettlement } from './payment-request-settlement';
import { PaymentRequestStore } from './payment-request-store';

/** Pays or fails the payment requests whose outcome a test has scripted. */
@Injectable()
export class SimulatedPayments implements DueItemTask {
  readonly name = 'simulated payments';
  readonly batchSize = 1;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly store: PaymentRequestStore,
    private readonly settlement: PaymentRequestSettlement,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findSimulated(now, excludedIds, limit);
  }

  process(accountId: string, [id]: readonly string[]): Promise<void> {
    const work = (tx: Tx, now: Date): Promise<void> =>
      this.store.update(tx, accountId, id!, now, async (context) => {
        const { request, payee } = context;
        if (!request.isSimulationDue(now)) return;
        payee.assertOpenFor('payment', false);
        if (request.dueOutcome === 'succeeded') await this.settlement.pay(tx, context, now);
        else request.fail(now);
      });
    return this.database.transaction(work, accountId);
  }
}
