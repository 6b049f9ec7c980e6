import { Inject, Injectable } from '@nestjs/common';
import { Refusal } from '../../../kernel/refusal';
import { CONFIG, Config } from '../../../platform/config/config';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Mailer } from '../../../platform/mail/mailer';
import { Log } from '../../../platform/telemetry/log';
import { Account, Accounts } from '../../accounts';
import { isOperator, Principal } from '../../auth';
import { LatePayment, LatePayments } from '../../late-payments';
import { TransactionSteps } from '../../transactions';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { PaymentRequests } from './payment-requests.service';

/** What a customer sees of a payment request, and of whom it comes from. */
export interface Bill {
  readonly request: PaymentRequest;
  readonly payee: Account;
}

/** What a customer pressed on the page. */
export interface Attempt {
  readonly outcome: 'paid' | 'declined';
  /** How many declined attempts the page showed: a decline that was pressed twice there counts once. */
  readonly declinesSeen: number;
}

/** What an admin or a platform system knows of the customer's money. */
export interface Settlement {
  readonly outcome: 'succeeded' | 'failed';
  /** Minor units: what was paid, or would have been. */
  readonly amount: number;
}

/** Accounts that one round of the sweep looks at, and requests that it ends in one of them at a time. */
const ACCOUNTS_PER_ROUND = 100;
const REQUESTS_PER_ACCOUNT = 200;

/** How payment requests are paid, declined and run out. */
@Injectable()
export class Checkout {
  private readonly isSimulation: boolean;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly requests: PaymentRequests,
    private readonly accounts: Accounts,
    private readonly steps: TransactionSteps,
    private readonly mailer: Mailer,
    private readonly log: Log,
    private readonly latePayments: LatePayments,
    @Inject(CONFIG) config: Config,
  ) {
    this.isSimulation = config.processor === 'sandbox';
  }

  /** Changes nothing: mail scanners and link previews open pages too. @returns null for an unknown link */
  async view(secret: string): Promise<Bill | null> {
    const request = await this.find(secret);
    const payee = request === null ? null : await this.accounts.find(request.accountId);
    return request === null || payee === null ? null : { request, payee };
  }

  /**
   * The customer paid, or the attempt was declined: in the sandbox whoever opens the page says which. Whatever ended the
   * request first stands, however often and from wherever it is pressed again: the answer is the request as it is then.
   * @returns null for an unknown link
   * @throws Refusal `forbidden` while the account takes no payments; `invalid_request` beyond its largest balance
   */
  async attempt(secret: string, attempt: Attempt): Promise<Bill | null> {
    // Real money comes from elsewhere; no press of a button stands for it.
    if (!this.isSimulation) return this.view(secret);
    const found = await this.find(secret);
    if (found === null) return null;
    return this.database.atomically(null, async (tx, now) => {
      const { request, payee } = await this.lock(tx, found.accountId, found.id);
      if (request.status !== 'pending') return { request, payee };
      if (request.isExpired(now)) request.expire(now);
      else await this.carryOut(tx, attempt, payee, request, now);
      this.repository.save(tx, request);
      return { request, payee };
    });
  }

  /**
   * Reports what became of the customer's money where it moves outside. The same outcome again is answered like the
   * first time. What is pending may settle also while the account is suspended: the money is there.
   * @throws Refusal `forbidden` for who is neither admin nor platform; `not_found`; `invalid_request` for another
   * amount; `conflict` when the request has ended otherwise or run out
   */
  async settle(caller: Principal, id: string, { outcome, amount }: Settlement): Promise<PaymentRequest> {
    if (!isOperator(caller))
      throw new Refusal('forbidden', 'Only admins and platform systems report outcomes.');
    const { accountId } = await this.requests.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const { request, payee } = await this.lock(tx, accountId, id);
      if (amount !== request.amount) {
        throw new Refusal(
          'invalid_request',
          `The request is for ${request.amount} minor units, not ${amount}.`,
        );
      }
      if (request.status === outcome) return request;
      assertOpen(request, outcome, now);
      if (outcome === 'succeeded') await this.pay(tx, payee, request, now);
      else request.fail(now);
      this.repository.save(tx, request);
      return request;
    });
  }

  /**
   * Records money that came in for a request that can no longer take it, so that it is not lost from sight.
   * @throws Refusal `forbidden` for who is neither admin nor platform; `not_found`; `conflict` when it would pay the
   * request
   */
  async recordLate(caller: Principal, id: string, amount: number, once: Once<LatePayment>): Promise<Answer> {
    if (!isOperator(caller))
      throw new Refusal('forbidden', 'Only admins and platform systems record late payments.');
    const { accountId } = await this.requests.get(caller, id);
    return this.database.atomically(once, async (tx, now) => {
      const { request, payee } = await this.lock(tx, accountId, id);
      const { currency } = request;
      const reason = request.whyLate({ amount, currency }, payee.status === 'closed', now);
      if (reason === null) {
        throw new Refusal('conflict', `The request is open: POST /v1/payments/${id}/settlement pays it.`);
      }
      const money = { paymentRequestId: id, amount, currency, providerReference: null, reason };
      return this.latePayments.record(tx, payee, money, now);
    });
  }

  /** Whether money came for a request that could not take it. */
  cameTooLate({ accountId, id }: PaymentRequest): Promise<boolean> {
    return this.latePayments.areThereFor(accountId, id);
  }

  /** Ends what nobody paid in time, an account at a time. @returns whether there may be more */
  async expireDue(now: Date): Promise<boolean> {
    const accountIds = await this.repository.accountsWithExpired(now, ACCOUNTS_PER_ROUND);
    let ended = 0;
    let more = false;
    for (const accountId of accountIds) {
      const expired = await this.expireDueOf(accountId).catch((error: unknown) => this.setAside(error));
      ended += expired;
      more ||= expired === REQUESTS_PER_ACCOUNT;
    }
    // What others hold at this moment waits for the next sweep, not for this one to come round again and again.
    return more || (accountIds.length === ACCOUNTS_PER_ROUND && ended > 0);
  }

  private async find(secret: string): Promise<PaymentRequest | null> {
    return PaymentRequest.isSecret(secret) ? this.repository.findBySecret(secret) : null;
  }

  /** The account first, like everything that moves its money. */
  async lock(tx: Tx, accountId: string, id: string): Promise<Bill> {
    const bill = await this.lockIfThere(tx, accountId, id);
    if (bill === null) throw new Error(`${id} is gone.`);
    return bill;
  }

  /** The same for an id that comes from outside. */
  async lockIfThere(tx: Tx, accountId: string, id: string): Promise<Bill | null> {
    const payee = await this.accounts.lock(tx, accountId);
    const request = payee && (await this.repository.lock(tx, accountId, id));
    return payee === null || request === null ? null : { request, payee };
  }

  private async carryOut(
    tx: Tx,
    { outcome, declinesSeen }: Attempt,
    payee: Account,
    request: PaymentRequest,
    now: Date,
  ): Promise<void> {
    // While it takes no payments, its requests stay as they are: no attempt is used up either.
    payee.assertOpenFor('payment', false);
    if (outcome === 'paid') await this.pay(tx, payee, request, now);
    else if (declinesSeen === request.declines) request.decline(now);
  }

  /**
   * Posts exactly one succeeded payment, in the same database transaction in which the request is paid.
   * @param providerReference the provider's name of the payment, where one took the money
   */
  async pay(
    tx: Tx,
    payee: Account,
    request: PaymentRequest,
    now: Date,
    providerReference: string | null = null,
  ): Promise<void> {
    const { amount, reference, metadata } = request;
    const paid = { amount, reference, metadata, providerReference };
    const transaction = await this.steps.recordPayment(tx, payee, paid, now);
    request.pay(transaction.id, transaction.createdAt, this.mailer.configured);
    this.accounts.save(tx, payee);
  }

  /** One account's trouble keeps no other waiting. */
  private setAside(error: unknown): number {
    this.log.failure('What has run out in an account could not be ended', error);
    return 0;
  }

  private expireDueOf(accountId: string): Promise<number> {
    return this.database.atomically(null, async (tx, now) => {
      const expired = await this.repository.lockExpired(tx, accountId, now, REQUESTS_PER_ACCOUNT);
      for (const request of expired) {
        request.expire(now);
        this.repository.save(tx, request);
      }
      return expired.length;
    });
  }
}

/** The sweep may not have come by yet: the outcome must not depend on it. @throws Refusal `conflict` */
function assertOpen(request: PaymentRequest, outcome: Settlement['outcome'], now: Date): void {
  if (request.status === 'pending' && !request.isExpired(now)) return;
  const state = request.status === 'pending' ? 'expired' : request.status;
  const advice =
    outcome === 'succeeded'
      ? ` Money that came in for it all the same is recorded: POST /v1/payments/${request.id}/late-payments.`
      : '';
  throw new Refusal('conflict', `The payment request is ${state}.${advice}`);
}
