import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database, Tx } from '../../../platform/database/database';
import { AccountReader, AccountStore } from '../../accounts';
import { PaymentRequest } from '../domain/payment-request';
import {
  LocatedPaymentRequest,
  LockedPaymentContext,
  PaymentContext,
  PaymentRequestListeners,
} from '../domain/payment-context';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { splitAccountIds } from '../domain/splits';

/** Access to payment requests for other modules. */
@Injectable()
export class PaymentRequestStore {
  /** Many visitors may open one link at the same moment. Together they cost no more than one of them. */
  private readonly findVisited = batchedReads((secrets) => this.findAllBySecret(secrets));

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: AccountStore,
    private readonly payees: AccountReader,
    private readonly listeners: PaymentRequestListeners,
  ) {}

  /** @param accountId null for that of any account */
  async find(accountId: string | null, id: string): Promise<PaymentContext | null> {
    return this.withPayee(await this.repository.find(id, accountId));
  }

  /** @param secret the last segment of a payment URL; any text */
  async findBySecret(secret: string): Promise<PaymentContext | null> {
    return PaymentRequest.isSecret(secret) ? this.findVisited(secret) : null;
  }

  /** Finds a request within `tx`, which then locks its accounts: they never change. */
  findIn(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null> {
    return this.repository.findIn(tx, accountId, id);
  }

  /** Adds a new request of an account that `tx` has locked. */
  add(tx: Tx, context: PaymentContext, now: Date): void {
    this.repository.add(tx, context.request);
    this.listeners.notify('created', tx, context, now);
  }

  /**
   * Locks the account, with those that get parts of the payment, and then the request until `tx` ends, passes them to `work`,
   * saves them, and notifies the listeners when the request has ended.
   * @param located its splits may be null where `work` does not pay it
   * @returns the result of `work`
   * @throws DomainError `not_found`
   */
  update<T>(
    tx: Tx,
    located: LocatedPaymentRequest,
    now: Date,
    work: (context: LockedPaymentContext) => Promise<T> | T,
  ): Promise<T> {
    const { accountId, id } = located;
    return this.accounts.updateAll(tx, accountIdsOf(located), async (accounts) => {
      const payee = accounts.get(accountId)!;
      const request = await this.repository.lock(tx, accountId, id);
      if (request === null) throw noSuchPaymentRequest();
      const { status } = request;
      const result = await work({ request, payee, accounts });
      if (request.status === status) this.repository.save(tx, request);
      else this.save(tx, { request, payee }, now);
      return result;
    });
  }

  /** Like `update`, in a database transaction of its own. */
  change<T>(
    located: LocatedPaymentRequest,
    work: (tx: Tx, context: LockedPaymentContext, now: Date) => Promise<T> | T,
  ): Promise<T> {
    return this.database.transaction(
      (tx, now) => this.update(tx, located, now, (context) => work(tx, context, now)),
      this.accounts.locksOf(accountIdsOf(located)),
    );
  }

  /** Saves a request that was pending and locked, and notifies the listeners if it has ended. */
  save(tx: Tx, context: PaymentContext, now: Date): void {
    const { request } = context;
    this.repository.save(tx, request);
    if (request.status !== 'pending')
      this.listeners.notify(request.status === 'succeeded' ? 'paid' : 'ended', tx, context, now);
  }

  private async findAllBySecret(secrets: readonly string[]): Promise<Map<string, PaymentContext>> {
    const requests = await this.repository.findBySecrets(secrets);
    const contexts = await Promise.all(requests.map((request) => this.withPayee(request)));
    return new Map(contexts.flatMap((context) => (context ? [[context.request.secret, context]] : [])));
  }

  private async withPayee(request: PaymentRequest | null): Promise<PaymentContext | null> {
    const payee = request && (await this.payees.find(request.accountId));
    return request && payee && { request, payee };
  }
}

function accountIdsOf(located: LocatedPaymentRequest): string[] {
  return [located.accountId, ...splitAccountIds(located)];
}

export function noSuchPaymentRequest(): DomainError {
  return new DomainError('not_found', 'There is no such payment request.');
}
