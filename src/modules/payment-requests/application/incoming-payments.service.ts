import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import { assertOperator, Principal } from '../../auth';
import { ReceivedPayment } from '../../processors';
import { PaymentSplits, Transaction, TransactionProcessing } from '../../transactions';
import { AttemptSource, ReadonlyPaymentRequest } from '../domain/payment-request';
import { LockedPaymentContext, PaymentContext } from '../domain/payment-context';
import { PaymentRequestStore } from './payment-request-store.service';
import { rejectsPayment, RejectionReason, UnappliedPayment } from '../unapplied-payments/unapplied-payment';
import { UnappliedPayments } from '../unapplied-payments/unapplied-payments.service';
import { PaymentRequests } from './payment-requests.service';

/** Applies payments to payment requests. A payment that cannot be applied is recorded as unapplied. */
@Injectable()
export class IncomingPayments {
  constructor(
    private readonly database: Database,
    private readonly requests: PaymentRequests,
    private readonly store: PaymentRequestStore,
    private readonly transactions: TransactionProcessing,
    private readonly splits: PaymentSplits,
    private readonly unappliedPayments: UnappliedPayments,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Pays the locked request: posts one succeeded payment, and sends its splits, in the same database transaction.
   * @throws DomainError when the account or a hook rejects the payment
   */
  async pay(tx: Tx, context: LockedPaymentContext, now: Date, source?: AttemptSource): Promise<void> {
    const transaction = await this.post(tx, context, null, now);
    await this.complete(tx, context, transaction, source);
  }

  /**
   * Applies a payment that the processor has received to the locked request, or records it as unapplied when the
   * request, the account or a hook rejects it. Repeated reports of one payment count once.
   */
  async receive(tx: Tx, context: LockedPaymentContext, payment: ReceivedPayment, now: Date): Promise<void> {
    const { request, payee } = context;
    if (await this.isKnown(tx, request, payment.reference)) return;
    const reason =
      request.rejectionReason(payment, payee.status === 'closed', now) ??
      (await this.payUnlessRejected(tx, context, payment.reference, now));
    if (reason === null) return;
    request.expireIfDue(now);
    this.recordRejected(tx, context, payment, reason, now);
  }

  /**
   * Records a payment that was received outside of the service and cannot be applied to the request.
   * @throws DomainError `forbidden` unless the caller is an admin or a platform system; `not_found`; `conflict` when
   * the payment can be applied
   */
  async recordUnapplied(
    caller: Principal,
    id: string,
    amount: number,
    operation: IdempotentOperation<UnappliedPayment>,
  ): Promise<StoredResponse> {
    assertOperator(caller, 'Only admins and platform systems can record unapplied payments.');
    const { accountId } = await this.requests.get(caller, id);
    const located = { accountId, id, splits: null };
    const work = (tx: Tx, now: Date): Promise<UnappliedPayment> =>
      this.store.update(tx, located, now, (context) => {
        const { request, payee } = context;
        const payment = { reference: null, amount, currency: request.currency };
        const reason = request.rejectionReason(payment, payee.status === 'closed', now);
        if (reason === null) {
          throw new DomainError(
            'conflict',
            `This payment can be applied to the request. Report it with POST /v1/payments/${id}/settlement.`,
          );
        }
        const unapplied = this.recordRejected(tx, context, payment, reason, now);
        const event = { action: 'unapplied_payment.create', objectId: unapplied.id, accountId };
        this.audit.record(tx, caller, event);
        return unapplied;
      });
    return this.database.idempotent(operation, work, accountId);
  }

  /** What rejects a payment runs before anything is written, so the transaction can continue after a rejection. */
  private async payUnlessRejected(
    tx: Tx,
    context: LockedPaymentContext,
    reference: string,
    now: Date,
  ): Promise<RejectionReason | null> {
    let transaction: Transaction;
    try {
      transaction = await this.post(tx, context, reference, now);
    } catch (error) {
      if (rejectsPayment(error)) return 'rejected';
      throw error;
    }
    // Outside of the try: once the payment is posted, no error may record it a second time as unapplied.
    await this.complete(tx, context, transaction, { method: 'hosted_checkout', reason: null });
    return null;
  }

  private async complete(
    tx: Tx,
    { request, accounts }: LockedPaymentContext,
    { id: transactionId, createdAt }: Transaction,
    source?: AttemptSource,
  ): Promise<void> {
    request.pay(transactionId, createdAt, source);
    const { accountId, reference, splits } = request;
    if (splits === null) return;
    const payment = { accountId, transactionId, reference, parts: splits };
    request.recordSplits(await this.splits.transfers.split(tx, accounts, payment, createdAt));
  }

  /** @param processorReference the processor's id of the payment; null when the processor did not receive it */
  private post(
    tx: Tx,
    { request, payee }: PaymentContext,
    processorReference: string | null,
    now: Date,
  ): Promise<Transaction> {
    const { id: paymentRequestId, amount, reference, metadata } = request;
    const payment = { amount, reference, metadata, processorReference, paymentRequestId };
    return this.transactions.recordPayment(tx, payee, payment, now);
  }

  private async isKnown(tx: Tx, request: ReadonlyPaymentRequest, reference: string): Promise<boolean> {
    const { accountId, transactionId } = request;
    const paidWith =
      transactionId && (await this.transactions.processorReferenceOf(tx, accountId, transactionId));
    return paidWith === reference || this.unappliedPayments.isRecorded(tx, accountId, reference);
  }

  private recordRejected(
    tx: Tx,
    { request, payee }: PaymentContext,
    { reference, amount, currency }: { reference: string | null; amount: number; currency: string },
    reason: RejectionReason,
    now: Date,
  ): UnappliedPayment {
    const payment = { paymentRequestId: request.id, amount, currency, processorReference: reference, reason };
    return this.unappliedPayments.record(tx, payee, payment, now);
  }
}
