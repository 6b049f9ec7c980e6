import { Injectable } from '@nestjs/common';
import { Metadata } from '../../../kernel/metadata';
import { Database, IdempotentOperation, StoredResponse, Tx } from '../../../platform/database/database';
import type { DueItemTask } from '../../../platform/jobs/due-items';
import { Account, AccountStore } from '../../accounts';
import { AccountScopedReader, assertAnyScope, Principal } from '../../auth';
import { PaymentProcessor } from '../../processors';
import { PaymentRequest, PaymentTerms, ReadonlyPaymentRequest } from '../domain/payment-request';
import { PaymentRequestFilter, PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { assertReturnUrls } from '../domain/return-urls';
import { NewSplit, splitAccountIds, splitAmount } from '../domain/splits';
import { PaymentRequestStore } from './payment-request-store.service';

export interface NewPaymentRequest {
  readonly account_id: string;
  readonly amount: number;
  readonly currency: string;
  readonly customer_email: string;
  readonly reference?: string | null;
  readonly metadata?: Metadata | null;
  readonly return_url?: string | null;
  readonly cancel_url?: string | null;
  readonly splits?: readonly NewSplit[];
  readonly expires_at?: Date;
}

/**
 * What a request asks for, with the defaults of what it leaves out.
 * @throws DomainError `invalid_request` for its splits; `forbidden` for them, for an API key that does not write transfers
 */
export function paymentTerms(
  caller: Principal,
  request: Omit<NewPaymentRequest, 'expires_at'>,
): PaymentTerms {
  const { amount, currency, customer_email: customerEmail, reference = null, metadata } = request;
  const { return_url: returnUrl = null, cancel_url: cancelUrl = null } = request;
  if (request.splits !== undefined) assertAnyScope(caller, ['transfers:write']);
  const splits = splitAmount(request.account_id, amount, request.splits);
  return {
    amount,
    currency,
    customerEmail,
    reference,
    metadata: metadata ?? {},
    returnUrl,
    cancelUrl,
    splits,
  };
}

@Injectable()
export class PaymentRequests extends AccountScopedReader<PaymentRequest, PaymentRequestFilter> {
  /** Cancels payment requests that have expired. */
  readonly expiry: DueItemTask = {
    name: 'payment request expiry',
    wokenBy: ['payment_requests'],
    batchSize: 32, // other requests for the account wait for one batch
    concurrent: true,
    findDue: (...due) => this.repository.findDue(...due),
    process: (accountId, ids) => this.expire(accountId, ids),
  };

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly store: PaymentRequestStore,
    private readonly accounts: AccountStore,
    private readonly processor: PaymentProcessor,
  ) {
    super('pay', 'payment request', repository);
  }

  /**
   * Interface 4.5.
   * @throws DomainError `account_not_found` for an account that does not exist or that the caller may not act for;
   * `forbidden` when the account takes no payments; `invalid_request` for another currency, a wrong expiry or return URL;
   * the same for the accounts that get parts
   */
  create(
    caller: Principal,
    request: NewPaymentRequest,
    operation: IdempotentOperation<PaymentRequest>,
  ): Promise<StoredResponse> {
    const { account_id: accountId, currency, expires_at: expiresAt } = request;
    const terms = paymentTerms(caller, request);
    return this.accounts.create(
      caller,
      {
        accountId,
        receiverIds: splitAccountIds(terms),
        idPrefix: 'pay',
        action: 'payment_request.create',
        purpose: 'payment',
        currency,
        errors: { noAccount: 'account_not_found', wrongCurrency: 'invalid_request' },
      },
      operation,
      async (tx, account, issued) => this.add(tx, account, terms, issued, expiresAt),
    );
  }

  /**
   * Creates a pending request of an account that `tx` has locked and will save. The caller has checked that the account
   * takes payments in the currency of the terms.
   * @throws DomainError `invalid_request` for an amount that the processor does not support, or a wrong return URL
   */
  issue(tx: Tx, account: Account, terms: PaymentTerms, now: Date): void {
    this.add(tx, account, terms, account.issueId('pay', now));
  }

  /** @throws DomainError `not_found`, `not_cancellable`; `forbidden` while the account is suspended */
  cancel(caller: Principal, id: string): Promise<ReadonlyPaymentRequest> {
    const change = { items: this, id, action: 'payment_request.cancel' };
    return this.accounts.change(caller, change, (tx, payee, request, now) => {
      request.cancel(now);
      this.store.save(tx, { request, payee }, now);
    });
  }

  private add(
    tx: Tx,
    account: Account,
    { amount, currency, customerEmail, reference, metadata, returnUrl, cancelUrl, splits }: PaymentTerms,
    { id, at }: { id: string; at: Date },
    expiresAt?: Date,
  ): PaymentRequest {
    this.processor.assertSupported(amount, currency);
    const urls = { returnUrl, cancelUrl };
    assertReturnUrls(urls, this.processor.testMode);
    const request = PaymentRequest.create(
      { accountId: account.id, id, amount, currency, customerEmail, reference, metadata, splits, ...urls },
      expiresAt ?? null,
      at,
      this.processor.simulatedPayment(metadata, at),
    );
    this.store.add(tx, { request, payee: account }, at);
    return request;
  }

  private expire(accountId: string, ids: readonly string[]): Promise<void> {
    const work = (tx: Tx, now: Date): Promise<void> =>
      this.accounts.update(tx, accountId, async (payee) => {
        for (const request of await this.repository.lockPending(tx, accountId, ids)) {
          request.expireIfDue(now);
          this.store.save(tx, { request, payee }, now);
        }
      });
    return this.database.transaction(work, accountId);
  }
}
