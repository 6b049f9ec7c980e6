import { Injectable } from '@nestjs/common';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { Account, Accounts } from '../../accounts';
import { TransactionSteps } from '../../transactions';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';

/** What a customer sees of a payment request, and of whom it comes from. */
export interface Bill {
  readonly request: PaymentRequest;
  readonly payee: Account;
}

/** Accounts that one round of the sweep looks at, and requests that it ends in one of them at a time. */
const ACCOUNTS_PER_ROUND = 100;
const REQUESTS_PER_ACCOUNT = 200;

/** What happens to a payment request at the customer's side. */
@Injectable()
export class Checkout {
  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: Accounts,
    private readonly steps: TransactionSteps,
  ) {}

  /** Changes nothing: mail scanners and link previews open pages too. @returns null for an unknown link */
  async view(secret: string): Promise<Bill | null> {
    const request = await this.repository.findBySecret(secret);
    const payee = request === null ? null : await this.accounts.find(request.accountId);
    return request === null || payee === null ? null : { request, payee };
  }

  /**
   * The customer paid, or the attempt was declined. Whatever ended the request first stands, however often and from
   * wherever it is pressed again: the answer is the request as it is then.
   * @returns null for an unknown link
   * @throws Refusal `forbidden` while the account takes no payments; `invalid_request` beyond its largest balance
   */
  async attempt(secret: string, outcome: 'paid' | 'declined'): Promise<Bill | null> {
    const found = await this.repository.findBySecret(secret);
    if (found === null) return null;
    return this.database.atomically(null, async (tx, now) => {
      const payee = await this.accounts.lock(tx, found.accountId);
      const request = await this.repository.lock(tx, found.accountId, found.id);
      if (payee === null || request === null) throw new Error(`${found.id} is gone.`);
      if (request.status !== 'pending') return { request, payee };
      if (request.isExpired(now)) request.expire(now);
      else if (outcome === 'declined') request.decline(now);
      else await this.pay(tx, payee, request, now);
      this.repository.save(tx, request);
      return { request, payee };
    });
  }

  /** Posts exactly one succeeded payment, in the same database transaction in which the request is paid. */
  private async pay(tx: Tx, payee: Account, request: PaymentRequest, now: Date): Promise<void> {
    payee.assertOpenFor('payment', false);
    const { amount, reference, metadata } = request;
    const transaction = await this.steps.recordPayment(tx, payee, { amount, reference, metadata }, now);
    request.pay(transaction.id, now);
    this.accounts.save(tx, payee);
  }

  /** Ends what nobody paid in time, an account at a time. @returns whether there may be more */
  async expireDue(now: Date): Promise<boolean> {
    const accountIds = await this.repository.accountsWithExpired(now, ACCOUNTS_PER_ROUND);
    let more = accountIds.length === ACCOUNTS_PER_ROUND;
    for (const accountId of accountIds) {
      const expired = await this.expireDueOf(accountId);
      more ||= expired === REQUESTS_PER_ACCOUNT;
    }
    return more;
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

/** While an account is suspended its requests stay as they are, and take no payment. */
export function takesNoPayment(error: unknown): boolean {
  return error instanceof Refusal && (error.code === 'forbidden' || error.code === 'invalid_request');
}
