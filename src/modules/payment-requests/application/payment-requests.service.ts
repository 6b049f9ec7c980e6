import { Inject, Injectable } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { Metadata } from '../../../kernel/metadata';
import { CursorPage, CursorRequest } from '../../../kernel/pages';
import { Refusal } from '../../../kernel/refusal';
import { Database } from '../../../platform/database/database';
import { Answer, Once } from '../../../platform/database/idempotency';
import { Tx } from '../../../platform/database/tx';
import { Account, Accounts } from '../../accounts';
import { isAdmin, isOperator, mayActFor, Principal } from '../../auth';
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

@Injectable()
export class PaymentRequests {
  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: Accounts,
    @Inject(PaymentProvider) private readonly provider: PaymentProvider | null,
  ) {}

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
      account.assertOpenFor('payment', isAdmin(caller));
      if (request.currency !== account.currency) {
        throw new Refusal('invalid_request', `currency must be the account's, ${account.currency}.`);
      }
      this.provider?.assertMovable(request.amount, request.currency);
      const { id, at } = account.issueId('pay', now);
      const {
        amount,
        currency,
        customer_email: customerEmail,
        reference = null,
        metadata,
        expires_at,
      } = request;
      const paymentRequest = PaymentRequest.create(
        { id, accountId: account.id, amount, currency, customerEmail, reference, metadata: metadata ?? {} },
        expires_at ?? null,
        at,
      );
      this.repository.add(tx, paymentRequest);
      this.accounts.save(tx, account);
      return paymentRequest;
    });
  }

  /** @throws Refusal `invalid_request` for a cursor that is no payment request of the caller's */
  async list(
    caller: Principal,
    filter: PaymentRequestFilter,
    request: CursorRequest,
  ): Promise<CursorPage<PaymentRequest>> {
    const own = isOperator(caller) ? undefined : caller.accountId;
    const cursor = request.startingAfter ?? request.endingBefore;
    if (cursor !== undefined && (await this.findFor(caller, cursor)) === null) {
      throw new Refusal('invalid_request', 'The cursor is no payment request of yours.');
    }
    const seesNone =
      own === null || (own !== undefined && filter.accountId !== undefined && filter.accountId !== own);
    if (seesNone) return { items: [], hasMore: false };
    return this.repository.list({ ...filter, accountId: own ?? filter.accountId }, request);
  }

  /** @throws Refusal `not_found` */
  async get(caller: Principal, id: string): Promise<PaymentRequest> {
    const request = await this.findFor(caller, id);
    if (request === null) throw notFound();
    return request;
  }

  /** @throws Refusal `not_found`, `not_cancellable` */
  async cancel(caller: Principal, id: string): Promise<PaymentRequest> {
    const { accountId } = await this.get(caller, id);
    return this.database.atomically(null, async (tx, now) => {
      const request = await this.repository.lock(tx, accountId, id);
      if (request === null) throw notFound();
      request.cancel(now);
      this.repository.save(tx, request);
      return request;
    });
  }

  /** Cancels what is pending under an account that closes. */
  cancelAllOf(tx: Tx, account: Account, now: Date): void {
    this.repository.cancelPending(tx, account.id, now);
  }

  private async findFor(caller: Principal, id: string): Promise<PaymentRequest | null> {
    if (!isId('pay', id)) return null;
    if (isOperator(caller)) return this.repository.find(id, null);
    return caller.accountId === null ? null : this.repository.find(id, caller.accountId);
  }
}

function notFound(): Refusal {
  return new Refusal('not_found', 'There is no such payment request.');
}
