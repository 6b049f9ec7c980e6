import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { PaymentContext } from '../domain/payment-context';
import { ReadonlyPaymentRequest } from '../domain/payment-request';
import { PaymentRequestStore } from '../domain/payment-request-store';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { SimulatedOutcome, SimulatedPayments } from '../domain/simulated-payments';
import { PaymentRequestSettlement } from './payment-request-settlement';
import { noSuchPaymentRequest } from './payment-request-store.service';

@Injectable()
export class SimulatedPaymentsService extends SimulatedPayments implements DueItemTask {
  readonly name = 'simulated payments';
  readonly batchSize = 1;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly store: PaymentRequestStore,
    private readonly settlement: PaymentRequestSettlement,
  ) {
    super();
  }

  async simulate(id: string, outcome: SimulatedOutcome): Promise<ReadonlyPaymentRequest> {
    const found = isId('pay', id) ? await this.repository.find(id, null) : null;
    if (found === null) throw noSuchPaymentRequest();
    const work = (tx: Tx, now: Date): Promise<ReadonlyPaymentRequest> =>
      this.store.update(tx, found.accountId, id, now, async (context) => {
        const { request } = context;
        const status = request.statusAt(now);
        if (status !== 'pending') throw new DomainError('conflict', `The payment request is ${status}.`);
        await this.apply(tx, context, outcome, now);
        return request;
      });
    return this.database.transaction(work, found.accountId);
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findSimulated(now, excludedIds, limit);
  }

  process(accountId: string, [id]: readonly string[]): Promise<void> {
    const work = (tx: Tx, now: Date): Promise<void> =>
      this.store.update(tx, accountId, id!, now, async (context) => {
        if (context.request.isSimulationDue(now))
          await this.apply(tx, context, context.request.dueOutcome!, now);
      });
    return this.database.transaction(work, accountId);
  }

  async apply(tx: Tx, context: PaymentContext, outcome: SimulatedOutcome, now: Date): Promise<void> {
    const { request, payee } = context;
    payee.assertOpenFor('payment');
    if (outcome === 'succeeded') await this.settlement.pay(tx, context, now);
    else if (outcome === 'failed') request.fail(now);
    else request.decline(now);
  }
}
