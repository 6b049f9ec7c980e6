import { Injectable } from '@nestjs/common';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItem, DueItemTask } from '../../../platform/jobs/due-items';
import { isProcessorOutage, PaymentProcessor, RefundApi, RefundReport } from '../../processors';
import { UnappliedPayment } from './unapplied-payment';
import { UnappliedPaymentsRepository } from './unapplied-payments.repository';

/** Returns unapplied payments that the processor has received to the customers, and applies its reports. */
@Injectable()
export class UnappliedPaymentReturns implements DueItemTask {
  readonly name = 'unapplied payments';
  readonly wokenBy = ['unapplied_payments'];
  readonly batchSize = 1;
  readonly isOutage = isProcessorOutage;

  constructor(
    private readonly database: Database,
    private readonly repository: UnappliedPaymentsRepository,
    private readonly processor: PaymentProcessor,
  ) {}

  /** Finds payments that have to be returned, and pending returns whose state has to be retrieved. */
  findDue(now: Date, excludedIds: readonly string[], limit: number): Promise<DueItem[]> {
    return this.repository.findDue(now, excludedIds, limit);
  }

  async process(accountId: string, ids: readonly string[]): Promise<void> {
    const { refunds } = this.processor;
    if (refunds === null) return;
    for (const id of ids) await this.returnToCustomer(refunds, accountId, id);
  }

  /** Applies the processor's report on the refund by which a payment is returned. */
  async applyReport(tx: Tx, accountId: string, id: string, report: RefundReport, now: Date): Promise<void> {
    const payment = await this.repository.lock(tx, accountId, id);
    if (payment === null) return;
    payment.applyReport(report, now);
    this.repository.save(tx, payment);
  }

  /** Refunds the whole payment, whatever its amount. The processor is called outside any database transaction. */
  private async returnToCustomer(refunds: RefundApi, accountId: string, id: string): Promise<void> {
    const payment = await this.beginAttempt(accountId, id);
    if (payment === null || payment.processorReference === null) return;
    const { processorReference: paymentReference, currency, round } = payment;
    try {
      const order = { accountId, id, round, paymentReference, amount: null, currency };
      const report = await refunds.create(order);
      await this.database.transaction((tx, now) => this.applyReport(tx, accountId, id, report, now));
    } catch (error) {
      await this.recordFailedAttempt(accountId, id);
      throw error;
    }
  }

  /**
   * Records the attempt before the call, so that no other replica makes the same call, and a crash does not cause an
   * early retry.
   * @returns null when the payment is no longer due
   */
  private beginAttempt(accountId: string, id: string): Promise<UnappliedPayment | null> {
    return this.database.transaction(async (tx, now) => {
      const payment = await this.repository.lock(tx, accountId, id);
      if (payment === null || !payment.isDue(now)) return null;
      payment.beginAttempt(now);
      this.repository.save(tx, payment);
      return payment;
    });
  }

  private recordFailedAttempt(accountId: string, id: string): Promise<void> {
    return this.database.transaction(async (tx, now) => {
      const payment = await this.repository.lock(tx, accountId, id);
      if (payment === null) return;
      payment.recordFailedAttempt(now);
      this.repository.save(tx, payment);
    });
  }
}
