import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Database, IdempotentOperation, StoredResponse } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { AccountStore } from '../../accounts';
import { assertOperator, Principal } from '../../auth';
import { Approval, ApprovalKind, ApprovalLimit } from '../../back-office';
import { ReceivedPayment } from '../../processors';
import { TransactionProcessing } from '../../transactions';
import { PaymentContext } from '../domain/payment-context';
import { ReadonlyPaymentRequest } from '../domain/payment-request';
import { PaymentRequestStore } from '../domain/payment-request-store';
import {
  ReadonlyUnappliedPayment as UnappliedPayment,
  RejectionReason,
} from '../unapplied-payments/domain/unapplied-payment';
import { UnappliedPayments } from '../unapplied-payments/domain/unapplied-payments';
import { noSuchPaymentRequest } from './payment-request-store.service';
import { PaymentRequests } from './payment-requests.service';

/** The outcome that an admin or a platform system reports for a payment request. */
export interface Settlement {
  readonly outcome: 'succeeded' | 'failed';
  /** Minor units: the amount that was paid or was to be paid. */
  readonly amount: number;
}

/** Applies payments to payment requests. A payment that cannot be applied is recorded as unapplied. */
@Injectable()
export class PaymentRequestSettlement implements ApprovalKind {
  readonly name = 'settle_payment_request';

  constructor(
    private readonly database: Database,
    private readonly accounts: AccountStore,
    private readonly store: PaymentRequestStore,
    private readonly requests: PaymentRequests,
    private readonly transactions: TransactionProcessing,
    private readonly unappliedPayments: UnappliedPayments,
    private readonly limit: ApprovalLimit,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Settles a request whose payment took place outside of the service. A repeat of the same outcome changes nothing. A
   * suspended account does not prevent it, because the money has arrived already.
   * @throws DomainError `forbidden` unless the caller is an admin or a platform system; `not_found`; `invalid_request`
   * for another amount; `conflict` when the request has ended otherwise or has expired, and for an admin who reports a
   * payment above the limit, which a second one has to approve
   */
  async settle(
    caller: Principal,
    id: string,
    { outcome, amount }: Settlement,
  ): Promise<ReadonlyPaymentRequest> {
    assertOperator(caller, 'Only admins and platform systems can settle payment requests.');
    const action = 'payment_request.settle';
    const change = { items: this.requests, id, action, details: { outcome } };
    return this.accounts.change(caller, change, async (tx, payee, request, now) => {
      if (amount !== request.amount) {
        throw new DomainError(
          'invalid_request',
          `The amount of the request is ${request.amount} minor units, not ${amount}.`,
        );
      }
      if (request.status === outcome) return;
      assertOpen(request, outcome, now);
      if (outcome === 'succeeded') {
        await this.limit.assertAlone(tx, caller, request, this.name, now);
        await this.pay(tx, { request, payee }, now);
      } else request.fail(now);
      this.store.save(tx, { request, payee }, now);
    });
  }

  /** @throws DomainError `not_found`; `conflict` unless it is pending */
  async prepare(tx: Tx, id: string, now: Date) {
    const found = isId('pay', id) ? await this.store.find(null, id) : null;
    if (found === null) throw noSuchPaymentRequest();
    const { accountId, amount, currency } = found.request;
    await this.store.update(tx, accountId, id, now, ({ request }) => assertOpen(request, 'succeeded', now));
    return { accountId, details: { amount, currency } };
  }

  /** Settles a request as a second admin has approved it. @throws DomainError `conflict` unless it is pending */
  async execute(
    tx: Tx,
    { accountId, objectId, reason }: Readonly<Approval>,
    approver: Principal,
    now: Date,
  ): Promise<boolean> {
    await this.store.update(tx, accountId, objectId, now, async (context) => {
      assertOpen(context.request, 'succeeded', now);
      await this.pay(tx, context, now);
      const event = { action: 'payment_request.settle', objectId, accountId, reason };
      this.audit.record(tx, approver, { ...event, details: { outcome: 'succeeded' } });
    });
    return true;
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
    const work = (tx: Tx, now: Date): Promise<UnappliedPayment> =>
      this.store.update(tx, accountId, id, now, async (context) => {
        const { request, payee } = context;
        const payment = { reference: null, amount, currency: request.currency };
        const reason = request.rejectionReason(payment, payee.status === 'closed', now);
        if (reason === null) {
          throw new DomainError(
            'conflict',
            `This payment can be applied to the request. Report it with POST /v1/payments/${id}/settlement.`,
          );
        }
        const unapplied = await this.record(tx, context, payment, reason, now);
        const event = { action: 'unapplied_payment.create', objectId: unapplied.id, accountId };
        this.audit.record(tx, caller, event);
        return unapplied;
      });
    return this.database.idempotent(operation, work, accountId);
  }

  /**
   * Applies a payment that the processor has received to the locked request, or records it as unapplied when the
   * request or the account rejects it. Repeated reports of one payment count once.
   */
  async receive(tx: Tx, context: PaymentContext, payment: ReceivedPayment, now: Date): Promise<void> {
    const { request, payee } = context;
    if (await this.isKnown(tx, request, payment.reference)) return;
    const reason =
      request.rejectionReason(payment, payee.status === 'closed', now) ??
      (await this.payUnlessRejected(tx, context, payment.reference, now));
    if (reason === null) return;
    request.expireIfDue(now);
    await this.record(tx, context, payment, reason, now);
  }

  /**
   * Pays the locked request: posts one succeeded payment in the same database transaction.
   * @param processorReference the processor's id of the payment; null when the processor did not receive it
   * @throws DomainError when the account or a hook rejects the payment
   */
  async pay(
    tx: Tx,
    { request, payee }: PaymentContext,
    now: Date,
    processorReference: string | null = null,
  ): Promise<void> {
    const { id: paymentRequestId, amount, reference, metadata } = request;
    const payment = { amount, reference, metadata, processorReference, paymentRequestId };
    const transaction = await this.transactions.recordPayment(tx, payee, payment, now);
    request.pay(transaction.id, transaction.createdAt);
  }

  /** The checks that reject a payment run before it changes anything, so the transaction can continue after a rejection. */
  private async payUnlessRejected(
    tx: Tx,
    context: PaymentContext,
    processorReference: string,
    now: Date,
  ): Promise<RejectionReason | null> {
    try {
      await this.pay(tx, context, now, processorReference);
      return null;
    } catch (error) {
      if (error instanceof DomainError && error.code !== 'unavailable') return 'rejected';
      throw error;
    }
  }

  private async isKnown(tx: Tx, request: ReadonlyPaymentRequest, reference: string): Promise<boolean> {
    const { accountId, transactionId } = request;
    const paidWith =
      transactionId && (await this.transactions.processorReferenceOf(tx, accountId, transactionId));
    return paidWith === reference || this.unappliedPayments.isRecorded(tx, accountId, reference);
  }

  private record(
    tx: Tx,
    { request, payee }: PaymentContext,
    { reference, amount, currency }: { reference: string | null; amount: number; currency: string },
    reason: RejectionReason,
    now: Date,
  ): Promise<UnappliedPayment> {
    const payment = { paymentRequestId: request.id, amount, currency, processorReference: reference, reason };
    return this.unappliedPayments.record(tx, payee, payment, now);
  }
}

/** @throws DomainError `conflict` */
function assertOpen(request: ReadonlyPaymentRequest, outcome: Settlement['outcome'], now: Date): void {
  const status = request.statusAt(now);
  if (status === 'pending') return;
  const advice =
    outcome === 'succeeded'
      ? ` Record a payment that was received for it with POST /v1/payments/${request.id}/unapplied-payments.`
      : '';
  throw new DomainError('conflict', `The payment request is ${status}.${advice}`);
}
