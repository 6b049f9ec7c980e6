import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { Tx } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { PaymentProcessor, SCRIPTED_FAILURE } from '../../processors';
import { ReadonlyPaymentRequest } from '../domain/payment-request';
import { LocatedPaymentRequest, LockedPaymentContext } from '../domain/payment-context';
import { PaymentRequestStore, noSuchPaymentRequest } from './payment-request-store.service';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { IncomingPayments } from './incoming-payments.service';

/** `declined`: one attempt to pay is declined. The fifth one fails the payment request. */
export const simulatedOutcomes = ['succeeded', 'failed', 'declined'] as const;
export type SimulatedOutcome = (typeof simulatedOutcomes)[number];

/** What a visitor of the payment page chooses in the sandbox. */
export interface SandboxChoice {
  readonly outcome: Extract<SimulatedOutcome, 'succeeded' | 'declined'>;
  /** The number of declined attempts that the page showed, so that a decline submitted twice counts once. */
  readonly declinesSeen: number;
}

const reasons: Readonly<Record<SimulatedOutcome, string | null>> = {
  succeeded: null,
  failed: SCRIPTED_FAILURE,
  declined: 'The customer chose a decline.',
};

/** Pays or fails payment requests where no real money moves: as a test has scripted, or as a visitor chooses. */
@Injectable()
export class SimulatedPayments implements DueItemTask {
  readonly name = 'simulated payments';
  readonly wokenBy = ['payment_requests'];
  readonly batchSize = 1;

  constructor(
    private readonly repository: PaymentRequestsRepository,
    private readonly store: PaymentRequestStore,
    private readonly payments: IncomingPayments,
    private readonly processor: PaymentProcessor,
  ) {}

  /**
   * Does to a request what its customer would do. Only in test mode.
   * @throws DomainError `not_found`; `conflict` unless the request is pending; `forbidden` when the account takes no
   * payments; `invalid_request` above its largest balance
   */
  async simulate(id: string, outcome: SimulatedOutcome): Promise<ReadonlyPaymentRequest> {
    const found = isId('pay', id) ? await this.repository.find(id, null) : null;
    if (found === null) throw noSuchPaymentRequest();
    return this.store.change(found, async (tx, context, now) => {
      const { request } = context;
      const status = request.statusAt(now);
      if (status !== 'pending') throw new DomainError('conflict', `The payment request is ${status}.`);
      await this.apply(tx, context, outcome, now);
      return request;
    });
  }

  /**
   * Pays the request or declines an attempt, where the processor only simulates payments. Has no effect on a request
   * that has ended.
   * @throws DomainError `forbidden` when the account takes no payments; `invalid_request` above its largest balance; any
   * code from a hook
   */
  async choose(found: ReadonlyPaymentRequest, { outcome, declinesSeen }: SandboxChoice): Promise<void> {
    if (this.processor.paymentMethod !== 'simulation') return;
    await this.store.change(found, async (tx, context, now) => {
      const { request } = context;
      request.expireIfDue(now);
      const isRepeated = outcome === 'declined' && declinesSeen !== request.declines;
      if (request.status === 'pending' && !isRepeated) await this.apply(tx, context, outcome, now);
    });
  }

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findSimulated(now, excludedIds, limit);
  }

  /** Only a request with splits is read before its accounts are locked: a look under its lock finds out. */
  async process(accountId: string, [id]: readonly string[]): Promise<void> {
    const pay = (found: LocatedPaymentRequest): Promise<LocatedPaymentRequest | null> =>
      this.store.change(found, async (tx, context, now) => {
        const { request } = context;
        if (!request.isSimulationDue(now)) return null;
        if (request.splits !== null && found.splits === null) return request;
        await this.apply(tx, context, request.dueOutcome!, now);
        return null;
      });
    const split = await pay({ accountId, id: id!, splits: null });
    if (split !== null) await pay(split);
  }

  private async apply(
    tx: Tx,
    context: LockedPaymentContext,
    outcome: SimulatedOutcome,
    now: Date,
  ): Promise<void> {
    const { request, payee } = context;
    payee.assertOpenFor('payment');
    const source = { method: 'simulation', reason: reasons[outcome] } as const;
    if (outcome === 'succeeded') await this.payments.pay(tx, context, now, source);
    else if (outcome === 'failed') request.fail(now, source);
    else request.decline(now, source);
  }
}
