import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { isId } from '../../../kernel/ids';
import { AuditTrail } from '../../../platform/audit/audit-trail';
import { Tx } from '../../../platform/database/database';
import { AccountStore } from '../../accounts';
import { assertOperator, Principal } from '../../auth';
import { Approval, ApprovalKind, Approvals } from '../../back-office';
import { ReadonlyPaymentRequest } from '../domain/payment-request';
import { LockedPaymentContext } from '../domain/payment-context';
import { PaymentRequestStore, noSuchPaymentRequest } from './payment-request-store.service';
import { splitAccountIds } from '../domain/splits';
import { IncomingPayments } from './incoming-payments.service';
import { PaymentRequests } from './payment-requests.service';

/** The outcome that an admin or a platform system reports for a payment request. */
interface Settlement {
  readonly outcome: 'succeeded' | 'failed';
  /** Minor units: the amount that was paid or was to be paid. */
  readonly amount: number;
}

/** Settles requests whose payment took place outside of the service, as operators report it. */
@Injectable()
export class PaymentRequestSettlement implements ApprovalKind {
  readonly name = 'settle_payment_request';

  constructor(
    private readonly accounts: AccountStore,
    private readonly store: PaymentRequestStore,
    private readonly requests: PaymentRequests,
    private readonly payments: IncomingPayments,
    private readonly approvals: Approvals,
    private readonly audit: AuditTrail,
  ) {}

  /**
   * Settles a request. A repeat of the same outcome changes nothing. A suspended account does not prevent it, because the
   * money has arrived already.
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
    const items = this.requests;
    const change = { items, id, action, otherAccountIds: splitAccountIds, details: { outcome } };
    return this.accounts.change(caller, change, async (tx, payee, request, now, accounts) => {
      if (amount !== request.amount) {
        throw new DomainError(
          'invalid_request',
          `The amount of the request is ${request.amount} minor units, not ${amount}.`,
        );
      }
      if (request.status === outcome) return;
      assertOpen(request, outcome, now);
      if (outcome === 'succeeded') {
        await this.approvals.assertAlone(tx, caller, request, this.name, now);
        await this.payments.pay(tx, { request, payee, accounts }, now);
      } else request.fail(now);
      this.store.save(tx, { request, payee }, now);
    });
  }

  /** @throws DomainError `not_found`; `conflict` unless it is pending */
  async prepare(tx: Tx, id: string, now: Date) {
    const found = isId('pay', id) ? await this.store.find(null, id) : null;
    if (found === null) throw noSuchPaymentRequest();
    const { accountId, amount, currency } = found.request;
    const located = { accountId, id, splits: null };
    await this.store.update(tx, located, now, ({ request }) => assertOpen(request, 'succeeded', now));
    const to = splitAccountIds(found.request);
    return { accountId, details: { amount, currency, ...(to.length > 0 && { to }) } };
  }

  /** Settles a request as a second admin has approved it. @throws DomainError `conflict` unless it is pending */
  async execute(tx: Tx, { accountId, objectId, reason }: Readonly<Approval>, approver: Principal, now: Date) {
    const settle = async (context: LockedPaymentContext): Promise<void> => {
      assertOpen(context.request, 'succeeded', now);
      await this.payments.pay(tx, context, now);
      const event = { action: 'payment_request.settle', objectId, accountId, reason };
      this.audit.record(tx, approver, { ...event, details: { outcome: 'succeeded' } });
    };
    const found = await this.store.findIn(tx, accountId, objectId);
    if (found === null) throw noSuchPaymentRequest();
    await this.store.update(tx, found, now, settle);
    return true;
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
