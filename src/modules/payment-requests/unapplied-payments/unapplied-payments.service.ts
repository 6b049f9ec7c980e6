import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Backlog } from '../../../platform/database/account-owned-repository';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItemTask } from '../../../platform/jobs/due-items';
import type { Account } from '../../accounts';
import { AccountScopedReader, assertOperator, Principal, seesAllAccounts } from '../../auth';
import { isProcessorOutage, PaymentProcessor, RefundReport } from '../../processors';
import { RejectedPayment, UnappliedPayment, UnappliedPaymentBacklogs } from './unapplied-payment';
import { UnappliedPaymentFilter, UnappliedPaymentsRepository } from './unapplied-payments.repository';

const READERS_ONLY = 'Only the back office and platform systems have access to unapplied payments.';

@Injectable()
export class UnappliedPayments
  extends AccountScopedReader<UnappliedPayment, UnappliedPaymentFilter>
  implements UnappliedPaymentBacklogs
{
  /**
   * Returns payments that the processor has received to the customers, and retrieves the state of returns that are pending
   * there.
   */
  readonly returns: DueItemTask = {
    name: 'unapplied payments',
    wokenBy: ['unapplied_payments'],
    batchSize: 1,
    isOutage: isProcessorOutage,
    findDue: (...due) => this.repository.findDue(...due),
    process: (accountId, [id]) => this.returnToCustomer(accountId, id!),
  };

  constructor(
    private readonly database: Database,
    private readonly repository: UnappliedPaymentsRepository,
    private readonly processor: PaymentProcessor,
    private readonly audit: AuditTrail,
  ) {
    super('unp', 'unapplied payment', repository, { include: seesAllAccounts, message: READERS_ONLY });
  }

  /** Whether a payment with that id of the processor is recorded. `tx` must have locked the account. */
  isRecorded(tx: Tx, accountId: string, processorReference: string): Promise<boolean> {
    return this.repository.isRecorded(tx, accountId, processorReference);
  }

  /** Whether any payment for a payment request is recorded. */
  existsFor(accountId: string, paymentRequestId: string): Promise<boolean> {
    return this.repository.existsFor(accountId, paymentRequestId);
  }

  async backlogs(): Promise<{ readonly received: Backlog; readonly needsAttention: Backlog }> {
    const [received, needsAttention] = await Promise.all([
      this.repository.backlog('received'),
      this.repository.backlog('needs_attention'),
    ]);
    return { received, needsAttention };
  }

  /** Records a payment to an account that `tx` has locked. The caller saves the account. */
  record(tx: Tx, account: Account, rejected: RejectedPayment, now: Date): UnappliedPayment {
    const { id, at } = account.issueId('unp', now);
    const payment = UnappliedPayment.create({ ...rejected, id, accountId: account.id }, at);
    this.repository.add(tx, payment);
    return payment;
  }

  /**
   * Resolves a payment that the service does not return by itself: a person has returned it, or the service tries
   * again.
   * @throws DomainError `forbidden`, `not_found`; `conflict` when the service is returning the payment or, for a retry,
   * when the payment does not need attention or the processor cannot return it
   */
  async resolve(
    caller: Principal,
    id: string,
    outcome: 'returned' | 'retry',
  ): Promise<Readonly<UnappliedPayment>> {
    assertOperator(caller, 'Only admins and platform systems can resolve unapplied payments.');
    const { accountId } = await this.get(caller, id);
    return this.database.transaction(async (tx, now) => {
      const payment = await this.lock(tx, accountId, id);
      const { updatedAt } = payment;
      if (outcome === 'returned') this.resolveAsReturned(payment, now);
      else this.retry(payment, now);
      if (payment.updatedAt === updatedAt) return payment; // a repeat
      this.repository.save(tx, payment);
      const event = { action: 'unapplied_payment.resolve', objectId: id, accountId, details: { outcome } };
      this.audit.record(tx, caller, event);
      return payment;
    });
  }

  private resolveAsReturned(payment: Readonly<UnappliedPayment>, now: Date): void {
    if (this.processor.refunds !== null && payment.dueAt !== null) {
      throw new DomainError(
        'conflict',
        'The service is returning the payment. Wait until its status is returned or needs_attention.',
      );
    }
    payment.resolveAsReturned(now);
  }

  private retry(payment: Readonly<UnappliedPayment>, now: Date): void {
    payment.assertRetryable();
    if (this.processor.refunds === null || payment.processorReference === null) {
      throw new DomainError(
        'conflict',
        'The processor cannot return this payment. Return it yourself and resolve it as `returned`.',
      );
    }
    payment.retry(now);
  }

  /** Applies the processor's report on the refund by which a payment is returned. */
  async applyReport(tx: Tx, accountId: string, id: string, report: RefundReport, now: Date): Promise<void> {
    const payment = await this.repository.lock(tx, accountId, id);
    if (payment === null) return;
    payment.applyReport(report, now);
    this.repository.save(tx, payment);
  }

  /** Refunds the whole payment, whatever its amount. The processor is called outside any database transaction. */
  private async returnToCustomer(accountId: string, id: string): Promise<void> {
    const { refunds } = this.processor;
    if (refunds === null) return;
    const payment = await this.beginAttempt(accountId, id);
    if (!payment?.processorReference) return;
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
