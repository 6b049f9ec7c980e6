import { Inject, Injectable } from '@nestjs/common';
import { MINUTE_MS } from '../../../kernel/clock';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Log } from '../../../platform/telemetry/log';
import { LatePayments } from '../../late-payments';
import { CheckoutReport, PaidMoney, PaymentProvider, ProviderError } from '../../providers';
import { TransactionSteps } from '../../transactions';
import { isLive } from '../domain/checkout';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { Bill, Checkout } from './checkout.service';

/** Checkouts that one round asks after, and when one is asked after again that could not be. */
const CHECKOUTS_PER_ROUND = 20;
const RETRY_MS = 5 * MINUTE_MS;

/** The account could not take money that is there: beyond its largest balance, or by a rule of the operator's. */
class MoneyRefused extends Error {}

/**
 * Paying on the page of a provider. Its word on a checkout comes by three ways: the answer to a press of the button,
 * what it sends by itself, and what a sweep asks for when neither came. All end in `take`, which is told any report any
 * number of times and in any order.
 */
@Injectable()
export class HostedCheckout {
  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly checkout: Checkout,
    private readonly steps: TransactionSteps,
    private readonly latePayments: LatePayments,
    private readonly log: Log,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {}

  /**
   * The customer wants to pay. Two tabs are led to the same checkout.
   * @param pageUrl where the customer comes back to
   * @returns where to pay, or null when there is nothing to pay (any more)
   * @throws Refusal `forbidden` while the account takes no payments; `conflict` when the provider does not take this
   * one; `unavailable` when it does not answer
   */
  async press({ request }: Bill, pageUrl: string): Promise<string | null> {
    const { provider } = this;
    if (provider === null) return null;
    const { accountId, id } = request;
    for (let round = 1; ; round += 1) {
      const begun = await this.begin(accountId, id);
      if (begun.status !== 'pending' || begun.checkout === null) return null;
      const report = await this.ask(provider, begun, pageUrl);
      const after = await this.carryOut((tx, now, postable) =>
        this.take(tx, accountId, id, report, now, postable),
      );
      if (after?.status !== 'pending' || after.isBeingProcessed) return null;
      if (report.status === 'open' && after.isUnderWay(report)) return report.url;
      if (report.status !== 'expired' || round > 1) return null;
    }
  }

  /**
   * Asks after checkouts of which no word has come, and closes those of requests that have ended. A provider that does
   * not answer is left alone until the next sweep, or all other timed work would wait for it.
   * @returns whether more may be due
   */
  async followUp(now: Date): Promise<boolean> {
    if (this.provider === null) return false;
    const until = new Date(now.getTime() + RETRY_MS);
    for (let asked = 0; asked < CHECKOUTS_PER_ROUND; asked += 1) {
      const request = await this.repository.takeCheckout(now, until);
      if (request === null || !(await this.followUpOne(this.provider, request))) return false;
    }
    return true;
  }

  /**
   * Runs `work`, which takes reports down. Money that the account turns out not to take is then recorded as late:
   * `postable` is false the second time.
   */
  async carryOut<T>(work: (tx: Tx, now: Date, postable: boolean) => Promise<T>): Promise<T> {
    try {
      return await this.database.atomically(null, (tx, now) => work(tx, now, true));
    } catch (error) {
      if (!(error instanceof MoneyRefused)) throw error;
      return this.database.atomically(null, (tx, now) => work(tx, now, false));
    }
  }

  /** Takes down what the provider says of a checkout. @returns the request as it is then; null for one unknown here */
  async take(
    tx: Tx,
    accountId: string,
    id: string,
    report: CheckoutReport,
    now: Date,
    postable: boolean,
  ): Promise<PaymentRequest | null> {
    const bill = await this.checkout.lockIfThere(tx, accountId, id);
    if (bill === null) {
      this.log.notice(`The provider reports a checkout of ${id}, which is unknown here`);
      return null;
    }
    const { request } = bill;
    const isUnderWay = request.isUnderWay(report);
    if (report.money !== null) await this.takeMoney(tx, bill, report.money, isUnderWay, now, postable);
    else if (isUnderWay) follow(request, report, now);
    this.repository.save(tx, request);
    return request;
  }

  /** Money that is there pays the request, or is recorded as late; never both, never neither. */
  private async takeMoney(
    tx: Tx,
    bill: Bill,
    money: PaidMoney,
    isUnderWay: boolean,
    now: Date,
    postable: boolean,
  ): Promise<void> {
    const { request, payee } = bill;
    const { reference } = money;
    const late = request.whyLate(money, payee.status === 'closed', now);
    if (isUnderWay) request.endCheckout();
    if (await this.isKnown(tx, request, reference)) return;
    if (late === null && postable) return this.pay(tx, bill, reference, now);
    if (request.status === 'pending' && request.isExpired(now)) request.expire(now);
    await this.latePayments.record(
      tx,
      payee,
      {
        paymentRequestId: request.id,
        amount: money.amount,
        currency: money.currency,
        providerReference: reference,
        reason: late ?? 'refused',
      },
      now,
    );
  }

  private async isKnown(tx: Tx, { accountId, transactionId }: PaymentRequest, reference: string) {
    const paidBy = transactionId && (await this.steps.providerReferenceOf(tx, accountId, transactionId));
    return paidBy === reference || this.latePayments.isRecorded(tx, accountId, reference);
  }

  private async pay(tx: Tx, { request, payee }: Bill, reference: string, now: Date): Promise<void> {
    try {
      await this.checkout.pay(tx, payee, request, now, reference);
    } catch (error) {
      if (error instanceof Refusal && error.code !== 'unavailable') throw new MoneyRefused();
      throw error;
    }
  }

  private begin(accountId: string, id: string): Promise<PaymentRequest> {
    return this.database.atomically(null, async (tx, now) => {
      const { request, payee } = await this.checkout.lock(tx, accountId, id);
      if (request.status !== 'pending') return request;
      if (request.isExpired(now)) request.expire(now);
      else {
        if (!request.isBeingProcessed) payee.assertOpenFor('payment', false);
        request.beginCheckout(payee.name, now);
      }
      this.repository.save(tx, request);
      return request;
    });
  }

  private async ask(
    provider: PaymentProvider,
    request: PaymentRequest,
    pageUrl: string,
  ): Promise<CheckoutReport> {
    const { id, attempt, title, expiresAt } = request.checkout!;
    try {
      if (id !== null) return await provider.checkout(id);
      const { accountId, amount, currency, reference, customerEmail } = request;
      return await provider.openCheckout({
        accountId,
        paymentRequestId: request.id,
        attempt,
        amount,
        currency,
        title,
        reference,
        customerEmail,
        expiresAt: new Date(expiresAt),
        pageUrl,
      });
    } catch (error) {
      if (!(error instanceof ProviderError)) throw error;
      this.log.failure('The provider does not open a checkout', error);
      if (!error.refused)
        throw new Refusal('unavailable', 'The provider does not answer. Try again shortly.', 1);
      await this.giveUp(request, attempt);
      throw new Refusal('conflict', 'The provider does not take this payment.');
    }
  }

  /** What the provider refused does not exist there, so nobody can pay at it: the next press begins another. */
  private giveUp({ accountId, id }: PaymentRequest, attempt: number): Promise<void> {
    return this.database.atomically(null, async (tx) => {
      const { request } = await this.checkout.lock(tx, accountId, id);
      if (!isLive(request.checkout) || request.checkout.attempt !== attempt) return;
      request.endCheckout();
      this.repository.save(tx, request);
    });
  }

  /** One checkout's trouble keeps no other waiting: it is due again in a while. @returns whether there was an answer */
  private async followUpOne(provider: PaymentProvider, request: PaymentRequest): Promise<boolean> {
    const { accountId, id } = request;
    try {
      const name = request.checkout?.id ?? null;
      const report = name === null ? null : await this.lookUp(provider, request, name);
      await this.carryOut(async (tx, now, postable) => {
        if (report !== null) await this.take(tx, accountId, id, report, now, postable);
        else await this.await(tx, accountId, id, now);
      });
      return true;
    } catch (error) {
      this.log.failure('A checkout could not be followed up; it is tried again', error);
      return !(error instanceof ProviderError);
    }
  }

  private async lookUp(provider: PaymentProvider, { status }: PaymentRequest, name: string) {
    const report = await provider.checkout(name);
    return report.status === 'open' && status !== 'pending' ? provider.closeCheckout(name) : report;
  }

  private async await(tx: Tx, accountId: string, id: string, now: Date): Promise<void> {
    const { request } = await this.checkout.lock(tx, accountId, id);
    if (!isLive(request.checkout) || request.checkout.id !== null) return;
    request.awaitCheckout(now);
    this.repository.save(tx, request);
  }
}

/** What becomes of a checkout that is under way and brought no money yet. */
function follow(request: PaymentRequest, { id, status }: CheckoutReport, now: Date): void {
  switch (status) {
    case 'open':
      return request.openedCheckout(id, now);
    case 'processing':
      return request.processingCheckout(id, now);
    case 'declined':
      request.endCheckout();
      return request.status === 'pending' ? request.decline(now) : undefined;
    case 'expired':
      return request.endCheckout();
    case 'paid':
      throw new Error(`The provider reports ${id} as paid, without money.`);
  }
}
