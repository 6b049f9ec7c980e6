import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Tx } from '../../../platform/database/tx';
import { Account, AccountStore } from '../../accounts';
import { PaymentContext } from '../domain/payment-context';
import { PaymentRequest } from '../domain/payment-request';
import { PaymentRequestListeners } from '../domain/payment-request-listeners';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';

/** Access to payment requests for other modules. */
@Injectable()
export class PaymentRequestStore {
  /** Many visitors may open one link at the same moment. Together they cost no more than one of them. */
  private readonly findVisited = batchedReads((secrets) => this.findAllBySecret(secrets));

  constructor(
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: AccountStore,
    private readonly listeners: PaymentRequestListeners,
  ) {}

  async find(accountId: string, id: string): Promise<PaymentContext | null> {
    return this.withPayee(await this.repository.find(id, accountId));
  }

  /** @param secret the last segment of a payment URL; any text */
  async findBySecret(secret: string): Promise<PaymentContext | null> {
    return PaymentRequest.isSecret(secret) ? this.findVisited(secret) : null;
  }

  /** Adds a new request of an account that `tx` has locked. */
  add(tx: Tx, context: PaymentContext, now: Date): void {
    this.repository.add(tx, context.request);
    this.listeners.notify('created', tx, context, now);
  }

  /**
   * Locks the account and then the request until `tx` ends, passes both to `work`, saves them, and notifies the
   * listeners when the request has ended.
   * @returns the result of `work`
   * @throws DomainError `not_found`
   */
  update<T>(
    tx: Tx,
    accountId: string,
    id: string,
    now: Date,
    work: (context: PaymentContext) => Promise<T> | T,
  ): Promise<T> {
    return this.accounts.update(tx, accountId, async (payee) => {
      const request = await this.repository.lock(tx, accountId, id);
      if (request === null) throw new DomainError('not_found', 'There is no such payment request.');
      const wasPending = request.status === 'pending';
      const result = await work({ request, payee });
      this.save(tx, { request, payee }, wasPending, now);
      return result;
    });
  }

  /**
   * Cancels those requests of the payee that have expired. No money moves, so only the requests are locked, and those
   * that another transaction has locked are left to the next run.
   */
  async expire(tx: Tx, payee: Account, ids: readonly string[], now: Date): Promise<void> {
    for (const request of await this.repository.lockPending(tx, payee.id, ids)) {
      request.expireIfDue(now);
      this.save(tx, { request, payee }, true, now);
    }
  }

  private save(tx: Tx, context: PaymentContext, wasPending: boolean, now: Date): void {
    const { status } = context.request;
    this.repository.save(tx, context.request);
    if (!wasPending || status === 'pending') return;
    this.listeners.notify(status === 'succeeded' ? 'paid' : 'ended', tx, context, now);
  }

  private async findAllBySecret(secrets: readonly string[]): Promise<Map<string, PaymentContext>> {
    const requests = await this.repository.findBySecrets(secrets);
    const contexts = await Promise.all(requests.map((request) => this.withPayee(request)));
    return new Map(contexts.flatMap((context) => (context ? [[context.request.secret, context]] : [])));
  }

  private async withPayee(request: PaymentRequest | null): Promise<PaymentContext | null> {
    const payee = request && (await this.accounts.find(request.accountId));
    return request && payee && { request, payee };
  }
}
