import { Inject, Injectable } from '@nestjs/common';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Mailer } from '../../../platform/mail/mailer';
import { Account, Accounts } from '../../accounts';
import { mayActFor, OwnedByAccounts, Principal } from '../../auth';
import { PaymentProvider } from '../../providers';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';

export interface NewPaymentRequest {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer_email: string;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
  readonly expires_at?: Date;
}

/** How much is asked of whom, and what for. */
type PaymentTerms = Pick<PaymentRequest, 'amount' | 'currency' | 'customerEmail' | 'reference' | 'metadata'>;

@Injectable()
export class PaymentRequests {
  private readonly owned: OwnedByAccounts<PaymentRequest, PaymentRequestFilter>;

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: Accounts,
    private readonly mailer: Mailer,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {
    this.owned = new OwnedByAccounts('pay', 'payment request', repository);
  }

  /**
   * Interface 4.5.
   * @throws Refusal `account_not_found` for an account that is not there for the caller; `forbidden` by the account's
   * status; `invalid_request` for another currency or a wrong expiry
   */
  create(caller: Principal, request: NewPaymentRequest, once: Once<PaymentRequest>): Promise<Answer> {
    return this.database.atomically(once, async (tx, now) => {
      const account = mayActFor(caller, request.account_id)
        ? await this.accounts.lock(tx, request.account_id)
        : null;
      if (account === null) throw new Refusal('account_not_found', 'There is no such account.');
      const { amount, currency, customer_email: customerEmail, reference, metadata, expires_at } = request;
      const paymentRequest = this.issue(
        tx,
        account,
        { amount, currency, customerEmail, reference: reference ?? null, metadata: metadata ?? {} },
        now,
        expires_at,
      );
      this.accounts.save(tx, account);
      return paymentRequest;
    });
  }

  /**
   * Makes and adds a pending request of an account that `tx` has locked. The caller saves the account.
   * @throws Refusal as for `create`
   */
  issue(tx: Tx, account: Account, terms: PaymentTerms, now: Date, expiresAt?: Date): PaymentRequest {
    account.assertOpenFor('payment', false);
    const { amount, currency, customerEmail, reference, metadata } = terms;
    if (currency !== account.currency) {
      throw new Refusal('invalid_request', `currency must be the account's, ${account.currency}.`);
    }
    this.provider?.assertMovable(amount, currency);
    const { id, at } = account.issueId('pay', now);
    const request = PaymentRequest.create(
      { id, accountId: account.id, amount, currency, customerEmail, reference, metadata },
      expiresAt ?? null,
      at,
      this.mailer.configured,
    );
    this.repository.add(tx, request);
    return request;
  }

  /** @throws Refusal `invalid_request` for a cursor that is no payment request of the caller's */
  list(
    caller: Principal,
    filter: PaymentRequestFilter,
    request: CursorRequest,
  ): Promise<CursorPage<PaymentRequest>> {
    return this.owned.list(caller, filter, request);
  }

  /** @throws Refusal `not_found` */
  get(caller: Principal, id: string): Promise<PaymentRequest> {
    return this.owned.get(caller, id);
  }

  /** @throws Refusal `not_found`, `not_cancellable` */
  async cancel(caller: Principal, id: string): Promise<PaymentRequest> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const request = this.owned.present(await this.repository.lock(tx, accountId, id));
      request.cancel(now);
      this.repository.save(tx, request);
      return request;
    });
  }

  /** Cancels what is pending under an account that closes. */
  cancelAllOf(tx: Tx, account: Account, now: Date): void {
    this.repository.cancelPending(tx, account.id, now);
  }
}
