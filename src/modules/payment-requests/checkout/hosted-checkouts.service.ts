import { Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../kernel/clock';
import { DomainError } from '../../../kernel/domain-error';
import { displayText } from '../../../kernel/text';
import { Database, Tx } from '../../../platform/database/database';
import type { DueItemTask } from '../../../platform/jobs/due-items';
import { Log } from '../../../platform/telemetry/log';
import {
  CheckoutApi,
  CheckoutEvent,
  CheckoutReport,
  isProcessorOutage,
  PaymentProcessor,
  ProcessorError,
} from '../../processors';
import { IncomingPayments } from '../application/incoming-payments.service';
import { ReadonlyPaymentRequest as PaymentRequest } from '../domain/payment-request';
import { LockedPaymentContext, PaymentContext } from '../domain/payment-context';
import { PaymentRequestStore } from '../application/payment-request-store.service';
import { HostedCheckout } from './hosted-checkout';
import { HostedCheckoutsRepository } from './hosted-checkouts.repository';

/** How long a claim keeps other replicas from checking a checkout. */
const CLAIM_MS = 5 * MINUTE_MS;

/** How many sessions a call tries: the next one when the current one turns out to have expired. */
const MAX_SESSIONS = 2;

/**
 * Payments on pages that the processor hosts. The state of a session arrives in three ways: as the response to a call
 * of `start`, as an event of the processor, and as the result of a status check. `applyReport` processes
 * all of them; reports may repeat and arrive in any order.
 */
@Injectable()
export class HostedCheckouts {
  /**
   * Checks the status of sessions about which the processor has sent no event, and expires the sessions of requests that
   * have ended.
   */
  readonly statusChecks: DueItemTask = {
    name: 'checkout status checks',
    wokenBy: ['hosted_checkouts'],
    batchSize: 1,
    isOutage: isProcessorOutage,
    findDue: (...due) => this.repository.findDue(...due),
    process: (accountId, [id]) => this.checkStatus(accountId, id!),
  };
  /** The calls of `start` in progress, by payment request. */
  private readonly starting = new Map<string, Promise<string | null>>();

  constructor(
    private readonly database: Database,
    private readonly repository: HostedCheckoutsRepository,
    private readonly requests: PaymentRequestStore,
    private readonly payments: IncomingPayments,
    private readonly log: Log,
    private readonly processor: PaymentProcessor,
  ) {}

  /** Whether the customer may be paying on a page of the processor. */
  async isLive({ accountId, id }: PaymentRequest): Promise<boolean> {
    return (await this.repository.find(accountId, id))?.isLive ?? false;
  }

  /**
   * Starts a session, or resumes the current one: a request never has two sessions that can be paid. Concurrent calls
   * for one request share the call to the processor. Replicas share the attempt, which is claimed in the database.
   * @param pageUrl the payment page, to which the customer returns
   * @returns the URL of the processor's page, or null when the request cannot be paid
   * @throws DomainError `forbidden` when the account takes no payments; `conflict` when the processor rejects the
   * payment; `unavailable` when it does not respond
   */
  start({ accountId, id }: PaymentRequest, pageUrl: string): Promise<string | null> {
    const current = this.starting.get(id);
    if (current !== undefined) return current;
    const started = this.startOrResume(accountId, id, pageUrl).finally(() => this.starting.delete(id));
    this.starting.set(id, started);
    return started;
  }

  private async startOrResume(accountId: string, id: string, pageUrl: string): Promise<string | null> {
    const { checkouts } = this.processor;
    if (checkouts === null) return null;
    for (let session = 1; session <= MAX_SESSIONS; session += 1) {
      const prepared = await this.prepare(accountId, id);
      if (prepared === null) return null;
      const report = await this.retrieveOrCreate(checkouts, prepared, pageUrl);
      const isPayable = await this.applyReport(prepared.request, report);
      if (isPayable) return report.url;
      if (report.status !== 'expired') return null;
    }
    return null;
  }

  /** Processes an event of the processor, which may concern another installation with the same account there. */
  async processEvent(tx: Tx, { accountId, objectId, report }: CheckoutEvent, now: Date): Promise<void> {
    const request = await this.requests.findIn(tx, accountId, objectId);
    if (request === null)
      this.log.notice(`The processor reports a checkout of ${objectId}, which is unknown here`);
    else await this.requests.update(tx, request, now, (context) => this.apply(tx, context, report, now));
  }

  /** @returns whether the customer can pay in the reported session */
  private applyReport(request: PaymentRequest, report: CheckoutReport): Promise<boolean> {
    return this.requests.change(request, (tx, context, now) => this.apply(tx, context, report, now));
  }

  private async apply(
    tx: Tx,
    context: LockedPaymentContext,
    report: CheckoutReport,
    now: Date,
  ): Promise<boolean> {
    const { request } = context;
    const checkout = await this.repository.lock(tx, request.accountId, request.id);
    const isCurrent = checkout?.isReportedBy(report) ?? false;
    if (report.payment !== null) await this.payments.receive(tx, context, report.payment, now);
    if (checkout === null || !isCurrent) return false;
    applyStatus(checkout, request, report, now);
    this.repository.save(tx, checkout);
    return report.status === 'open' && isPayable(request);
  }

  /** @returns the request with the session in which to pay it, or null when it cannot be paid */
  private prepare(accountId: string, id: string): Promise<Prepared | null> {
    return this.requests.change({ accountId, id, splits: null }, async (tx, context, now) => {
      const { request, payee } = context;
      request.expireIfDue(now);
      if (request.status !== 'pending') return null;
      if (request.processingSince === null) payee.assertOpenFor('payment');
      return { request, checkout: await this.usableCheckout(tx, context, now) };
    });
  }

  private async usableCheckout(
    tx: Tx,
    { request, payee }: PaymentContext,
    now: Date,
  ): Promise<HostedCheckout> {
    const existing = await this.repository.lock(tx, request.accountId, request.id);
    if (existing === null) {
      const checkout = HostedCheckout.open(request, displayText(payee.name), now);
      this.repository.add(tx, checkout);
      return checkout;
    }
    if (!existing.isUsable(now)) {
      existing.reopen(request, displayText(payee.name), now);
      this.repository.save(tx, existing);
    }
    return existing;
  }

  private async retrieveOrCreate(
    checkouts: CheckoutApi,
    { request, checkout }: Prepared,
    pageUrl: string,
  ): Promise<CheckoutReport> {
    const { accountId, id: paymentRequestId, amount, currency, reference, customerEmail } = request;
    const { attempt, processorReference, title, expiresAt } = checkout;
    try {
      if (processorReference !== null) return await checkouts.retrieve(processorReference);
      const payment = { accountId, paymentRequestId, amount, currency, reference, customerEmail };
      return await checkouts.create({ ...payment, attempt, title, expiresAt, pageUrl });
    } catch (error) {
      if (!(error instanceof ProcessorError)) throw error;
      this.log.failure('The processor did not open a checkout', error);
      if (!error.permanent) {
        throw new DomainError('unavailable', 'The payment processor does not respond. Retry shortly.', 1);
      }
      // A session that the processor has rejected does not exist there, so it cannot be paid.
      await this.changeIf(
        request,
        (current) => current.isLive && current.attempt === attempt,
        (current, now) => current.end(now),
      );
      throw new DomainError('conflict', 'The payment processor rejects this payment.');
    }
  }

  /** A claim keeps other replicas from checking the same session at the same time. */
  private async checkStatus(accountId: string, id: string): Promise<void> {
    const { checkouts } = this.processor;
    const claimed = await this.changeIf(
      { accountId, id },
      (checkout, now) => checkout.isDue(now),
      (checkout, now) => checkout.scheduleStatusCheck(new Date(now.getTime() + CLAIM_MS), now),
    );
    if (checkouts === null || claimed === null) return;
    const { processorReference } = claimed;
    if (processorReference === null) return this.awaitReference(accountId, id);
    const report = await checkouts.retrieve(processorReference);
    const { request } = (await this.requests.find(accountId, id))!;
    const isOver = report.status === 'open' && request.status !== 'pending';
    await this.applyReport(request, isOver ? await checkouts.expire(processorReference) : report);
  }

  private async awaitReference(accountId: string, id: string): Promise<void> {
    await this.changeIf(
      { accountId, id },
      ({ isLive, processorReference }) => isLive && processorReference === null,
      (checkout, now) => checkout.awaitReference(now),
    );
  }

  /** Changes the session if it still is as expected. @returns null, and nothing changes, when it is not */
  private changeIf(
    { accountId, id }: Pick<PaymentRequest, 'accountId' | 'id'>,
    isExpected: (checkout: HostedCheckout, now: Date) => boolean,
    change: (checkout: HostedCheckout, now: Date) => void,
  ): Promise<HostedCheckout | null> {
    return this.database.transaction(async (tx, now) => {
      const checkout = await this.repository.lock(tx, accountId, id);
      if (checkout === null || !isExpected(checkout, now)) return null;
      change(checkout, now);
      this.repository.save(tx, checkout);
      return checkout;
    });
  }
}

interface Prepared {
  readonly request: PaymentRequest;
  readonly checkout: HostedCheckout;
}

function isPayable({ status, processingSince }: PaymentRequest): boolean {
  return status === 'pending' && processingSince === null;
}

/** Applies a report about the current session. The payment itself, if any, is applied already. */
function applyStatus(
  checkout: HostedCheckout,
  request: PaymentRequest,
  report: CheckoutReport,
  now: Date,
): void {
  checkout.assignReference(report.id, now);
  switch (report.status) {
    case 'open':
      // The request ended while the session was being created: the next status check expires the session.
      if (request.status !== 'pending') checkout.scheduleStatusCheck(now, now);
      return;
    case 'processing':
      checkout.process(now);
      request.startProcessing(now);
      return;
    case 'paid':
      if (report.payment === null) throw new Error(`The checkout ${report.id} is paid without a payment.`);
      checkout.end(now);
      request.stopProcessing();
      return;
    case 'declined':
      checkout.end(now);
      if (request.status === 'pending')
        request.decline(now, { method: 'hosted_checkout', reason: report.declineCode ?? null });
      return;
    case 'expired':
      checkout.end(now);
      request.stopProcessing();
      return;
  }
}
