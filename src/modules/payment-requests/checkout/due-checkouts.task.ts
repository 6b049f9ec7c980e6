import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../kernel/clock';
import { Database } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { isProcessorOutage, PaymentProcessor } from '../../processors';
import { PaymentRequestStore } from '../application/payment-request-store.service';
import { HostedCheckout } from './hosted-checkout';
import { HostedCheckoutsRepository } from './hosted-checkouts.repository';
import { HostedCheckouts } from './hosted-checkouts.service';

/** How long a claim keeps other replicas from checking a checkout. */
const CLAIM_MS = 5 * MINUTE_MS;

/**
 * Checks the status of sessions about which the processor has sent no event, and expires the sessions of requests that
 * have ended.
 */
@Injectable()
export class DueCheckouts implements DueItemTask {
  readonly name = 'checkout status checks';
  readonly wokenBy = ['hosted_checkouts'];
  readonly batchSize = 1;
  readonly isOutage = isProcessorOutage;

  constructor(
    private readonly database: Database,
    private readonly repository: HostedCheckoutsRepository,
    private readonly requests: PaymentRequestStore,
    private readonly hostedCheckouts: HostedCheckouts,
    private readonly processor: PaymentProcessor,
  ) {}

  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  async process(accountId: string, [id]: readonly string[]): Promise<void> {
    const { checkouts } = this.processor;
    const checkout = id === undefined ? null : await this.claim(accountId, id);
    if (checkouts === null || checkout === null) return;
    const { paymentRequestId, processorReference } = checkout;
    if (processorReference === null) return this.awaitReference(accountId, paymentRequestId);
    const report = await checkouts.retrieve(processorReference);
    const { request } = (await this.requests.find(accountId, paymentRequestId))!;
    const isOver = report.status === 'open' && request.status !== 'pending';
    await this.hostedCheckouts.applyReport(
      request,
      isOver ? await checkouts.expire(processorReference) : report,
    );
  }

  /** Keeps other replicas from checking the same session at the same time. */
  private claim(accountId: string, id: string): Promise<HostedCheckout | null> {
    return this.database.transaction(async (tx, now) => {
      const checkout = await this.repository.lock(tx, accountId, id);
      if (checkout === null || checkout.dueAt === null || checkout.dueAt > now) return null;
      checkout.scheduleStatusCheck(new Date(now.getTime() + CLAIM_MS), now);
      this.repository.save(tx, checkout);
      return checkout;
    });
  }

  private awaitReference(accountId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      const checkout = await this.repository.lock(tx, accountId, id);
      if (checkout === null || !checkout.isLive || checkout.processorReference !== null) return;
      checkout.awaitReference(now);
      this.repository.save(tx, checkout);
    });
  }
}
