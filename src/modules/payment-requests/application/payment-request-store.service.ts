import { Injectable } from '@nestjs/common';
import { DomainError } from '../../../kernel/domain-error';
import { batchedReads } from '../../../platform/database/batched-reads';
import { Database } from '../../../platform/database/database';
import { Tx } from '../../../platform/database/tx';
import { AccountReader, AccountStore } from '../../accounts';
import { PaymentRequest } from '../domain/payment-request';
import {
  LocatedPaymentRequest,
  LockedPaymentContext,
  PaymentContext,
  PaymentRequestListeners,
  PaymentRequestStore,
} from '../domain/payment-request-store';
import { PaymentRequestsRepository } from '../domain/payment-requests.repository';
import { splitAccountIds } from '../domain/splits';

@Injectable()
export class PaymentRequestStoreService extends PaymentRequestStore {
  /** Many visitors may open one link at the same moment. Together they cost no more than one of them. */
  private readonly findVisited = batchedReads((secrets) => this.findAllBySecret(secrets));

  constructor(
    private readonly database: Database,
    private readonly repository: PaymentRequestsRepository,
    private readonly accounts: AccountStore,
    private readonly payees: AccountReader,
    private readonly listeners: PaymentRequestListeners,
  ) {
    super();
  }

  async find(accountId: string | null, id: string): Promise<PaymentContext | null> {
    return this.withPayee(await this.repository.find(id, accountId));
  }

  async findBySecret(secret: string): Promise<PaymentContext | null> {
    return PaymentRequest.isSecret(secret) ? this.findVisited(secret) : null;
  }

  findIn(tx: Tx, accountId: string, id: string): Promise<PaymentRequest | null> {
    return this.repository.findIn(tx, accountId, id);
  }

  add(tx: Tx, context: PaymentContext, now: Date): void {
    this.repository.add(tx, context.request);
    this.listeners.notify('created', tx, context, now);
  }

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

  change<T>(
    located: LocatedPaymentRequest,
    work: (tx: Tx, context: LockedPaymentContext, now: Date) => Promise<T> | T,
  ): Promise<T> {
    return this.database.transaction(
      (tx, now) => this.update(tx, located, now, (context) => work(tx, context, now)),
      this.accounts.locksOf(accountIdsOf(located)),
    );
  }

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
